// Packing: transcripts as they are kept in a database: gzip, unpacked within bounds.
import { gunzipSync, gzipSync } from "node:zlib"

// Somebody who can write into the database must not be able to fill the memory of its readers.
const mostBytes = 64 * 1024 * 1024

/** Whether a file of a run is packed. Transcripts are long and much alike; a question of SQL can read all else. */
export const isPacked = (path: string): boolean => path.endsWith(".log")

/** Packs a file. */
export const pack = (bytes: Buffer): Buffer => gzipSync(bytes)

/** The bytes in a packed file. A damaged file gives none, whose digest then shows that another file was kept. */
export const unpack = (bytes: Uint8Array): Buffer => {
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes })
  } catch {
    return Buffer.alloc(0)
  }
}
