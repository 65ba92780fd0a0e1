// writeWhole: all of a buffer in one write call, or an error.
// The one rule: a short write is a failure; it is how a full disk looks, and writing the rest would be a second write.
import { LogUnavailable } from "../../services/EventLog.ts"
import type { Files } from "./files.ts"

/** Writes the bytes with one call. Throws the system's error, or LogUnavailable when only a part of them went. */
export const writeWhole = (files: Files, fd: number, path: string, bytes: Uint8Array): void => {
  const written = files.write(fd, bytes)
  if (written !== bytes.length) {
    const reason = `only ${written} of ${bytes.length} bytes could be written: the disk is full or a limit is reached`
    throw new LogUnavailable({ path, reason })
  }
}
