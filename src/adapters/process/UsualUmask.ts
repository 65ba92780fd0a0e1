// UsualUmask: the umask of whoever called the program, for programs whose files are not its own.

/** The variable that holds it: the program has another one for what it keeps. */
export const usualUmask = "OODA_UMASK"

/** The arguments with which `/bin/sh` becomes a program under that umask. */
export const underUsualUmask = (program: string, args: ReadonlyArray<string>): ReadonlyArray<string> => [
  "-c",
  `umask "\${${usualUmask}:-$(umask)}"; exec "$@"`,
  "sh",
  program,
  ...args
]
