// SystemError: what a caught value tells about the system call that failed.
import type { SystemFault } from "../../services/SystemFault.ts"
import { NoLockProgram } from "./Flock.ts"

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "code" in error && "syscall" in error

/** The fault that a caught value stands for. A value that is no error of a system call keeps its own words. */
export const systemFault = (error: unknown): SystemFault => {
  if (error instanceof NoLockProgram) return { _tag: "NoLockProgram" }
  const said = error instanceof Error ? error.message : String(error)
  return isSystemError(error)
    ? { _tag: "SystemRefused", code: error.code ?? null, call: error.syscall ?? null, said }
    : { _tag: "SystemRefused", code: null, call: null, said }
}
