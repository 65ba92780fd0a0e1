// Sha256: the one digest of this program, for log lines, names, and the scripts that a page may run.
import crypto from "node:crypto"

/** The lower-case hexadecimal SHA-256 of bytes, or of a text's UTF-8 bytes. */
export const sha256 = (data: Uint8Array | string): string => crypto.hash("sha256", data, "hex")

/** The same in base64, for a script in a page's policy. */
export const sha256Base64 = (text: string): string => crypto.hash("sha256", text, "base64")
