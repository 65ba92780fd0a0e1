// faultyFiles: file calls of the log that fail as the system fails.
import type { Files } from "../../../src/log/Files.live.ts"

/** An error as a file call throws it. */
export const systemError = (code: string): Error =>
  Object.assign(new Error(`${code}: injected`), { code, errno: -1, syscall: "call" })

type Failing = "write" | "datasync" | "rename" | "truncate" | "syncDirectory"

/** The files of a disk where one kind of call fails, from its `nth` use on. */
export const fails = (call: Failing, code: string, nth = 1) => (files: Files): Partial<Files> => {
  let calls = 0
  return {
    [call]: (...args: ReadonlyArray<never>) => {
      if (++calls >= nth) throw systemError(code)
      return Reflect.apply(files[call], files, args)
    }
  }
}
