// Packing: transcripts as they are kept in a database: gzip, unpacked within bounds.
import { gunzipSync, gzipSync } from "node:zlib"

// Whoever could write into a database must not fill the memory of who reads it.
const mostBytes = 64 * 1024 * 1024

/** Whether a file of a run is packed. Transcripts are long and much alike; a question of SQL can read all else. */
export const isPacked = (path: string): boolean => path.endsWith(".log")

/** Packs a file. */
export const pack = (bytes: Buffer): Buffer => gzipSync(bytes)

/** What a packed file holds. A damaged one holds nothing: its digest then shows that another one was kept. */
export const unpack = (bytes: Uint8Array): Buffer => {
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes })
  } catch {
    return Buffer.alloc(0)
  }
}
