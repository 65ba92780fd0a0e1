// EventInput: one event from standard input, which its writer may leave open afterwards, or never finish.
// Present input is read at once, which takes no time; a stream is created only to wait for more.
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs"

const partSize = 1 << 16

/** Reads what is available without waiting; true at the end of input, false if more may come. */
const readAtOnce = (parts: Array<Buffer>, isWhole: () => boolean): boolean => {
  // A new descriptor: whether reads block is a setting of the one that is shared with the caller.
  const own = openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    for (;;) {
      const part = Buffer.allocUnsafe(partSize)
      const size = readSync(own, part, 0, partSize, null)
      if (size === 0) return true
      parts.push(part.subarray(0, size))
      if (isWhole()) return true
    }
  } finally {
    closeSync(own)
  }
}

/**
 * Reads an event: to the end of input, or until `isWhole`, for at most `patience` milliseconds. Null if standard input
 * is a terminal, empty if it cannot be read.
 */
export const eventInput = (isWhole: (text: string) => boolean, patience: number): Promise<string | null> =>
  new Promise((resolve) => {
    const parts: Array<Buffer> = []
    const text = () => Buffer.concat(parts).toString()
    const isDone = () => parts.at(-1)?.toString("latin1").trimEnd().endsWith("}") === true && isWhole(text())
    try {
      const stat = fstatSync(0)
      if (stat.isCharacterDevice() && process.stdin.isTTY) return resolve(null)
      if (stat.isCharacterDevice() || stat.isFile()) return resolve(readFileSync(0, "utf8"))
      if (stat.isFIFO() && readAtOnce(parts, isDone)) return resolve(text())
    } catch {
      // An open pipe without data, or one that cannot be opened again.
    }
    const end = () => {
      clearTimeout(timer)
      resolve(text())
    }
    const timer = setTimeout(end, patience)
    process.stdin.on("error", end).on("end", end).on("data", (part: Buffer) => {
      parts.push(part)
      if (isDone()) end()
    })
  })
