// Sha256: the SHA-256 digest of a text, in pure functions that have no port to ask.
import { sha256 as digest } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** The lower-case hexadecimal SHA-256 of a text's UTF-8 bytes. */
export const sha256 = (text: string): string => bytesToHex(digest(utf8ToBytes(text)))
