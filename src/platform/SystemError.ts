// SystemError: finds the failed system call in a caught value.
import type { SystemFault, SystemRefused } from "./SystemFault.ts"
import { NoLockProgram } from "./Flock.ts"

/** Whether a thrown value is an error of a system call. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "code" in error && "syscall" in error

/** Whether a thrown value is the system's error with this code (`ENOENT`). */
export const hasCode = (error: unknown, code: string): boolean => isSystemError(error) && error.code === code

/** Whether a system call failed because the disk or the user's quota is full. */
export const isFull = (error: unknown): boolean => hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT")

/** The failed call in a caught value. Any other error keeps its own message. */
export const systemRefused = (error: unknown): SystemRefused => {
  const said = error instanceof Error ? error.message : String(error)
  return isSystemError(error)
    ? { _tag: "SystemRefused", code: error.code ?? null, call: error.syscall ?? null, said }
    : { _tag: "SystemRefused", code: null, call: null, said }
}

/** The fault in a caught value. */
export const systemFault = (error: unknown): SystemFault =>
  error instanceof NoLockProgram ? { _tag: "NoLockProgram" } : systemRefused(error)
