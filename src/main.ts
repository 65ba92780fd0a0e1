#!/usr/bin/env node
// main: the entry: answers help at once, loads the program for everything else, prints and exits.
// The one rule: stdout first, then the header on stderr, then the exit; everything is written before the process ends.
import { shortcut } from "./cli/shortcut.ts"
import type { Ending } from "./cli/ending.ts"

// What is kept is for its user alone, and usable by that user, whatever the umask.
process.umask(0o077)

/** Writes a text whole; a reader that has gone away is no reason to fail after the work is done. */
const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    if (text === "" || stream.destroyed) return resolve()
    stream.once("error", () => resolve())
    stream.write(text, () => resolve())
  })

/** Where this was called, or null: node throws in a directory that has been removed. */
const directory = (): string | null => {
  try {
    return process.cwd()
  } catch {
    return null
  }
}

/** Help costs little more than starting node, because the program is not even loaded for it. */
const ending = async (argv: ReadonlyArray<string>): Promise<Ending> => {
  const quick = shortcut(argv)
  if (quick !== null) return { stdout: `${quick.text}\n`, stderr: "", code: 0 }
  const { main } = await import("./program.ts")
  return await main(argv, { cwd: directory(), env: process.env })
}

// A CommonJS file starts sooner than a module and waits for nothing at its top level.
void ending(process.argv.slice(2)).then(async ({ code, stderr, stdout }) => {
  await write(process.stdout, stdout)
  await write(process.stderr, stderr)
  process.exit(code)
})
