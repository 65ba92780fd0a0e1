// hash: sha256 for the log.
// The one rule: one-shot hashing; a hash object per line costs several times as much.
import * as crypto from "node:crypto"
import type { Sha256 } from "../../core/Line.ts"

/** The lower-case hexadecimal sha256. */
export const sha256: Sha256 = (data) => crypto.hash("sha256", data, "hex")
