#!/usr/bin/env node
// main: the entry: answers help at once, loads the program for everything else, prints and exits.
// The one rule: stdout first, then the header on stderr, then the exit; everything is written before the process ends.
import { shortcut } from "./cli/shortcut.ts"

/** Writes a text whole; a reader that has gone away is no reason to fail after the work is done. */
const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    if (text === "" || stream.destroyed) return resolve()
    stream.once("error", () => resolve())
    stream.write(text, () => resolve())
  })

const argv = process.argv.slice(2)
const quick = shortcut(argv)
// Help costs little more than starting node, because the program is not even loaded for it.
const { code, stderr, stdout } = quick === null
  ? await (await import("./live.ts")).main(argv, process.env)
  : { stdout: `${quick.text}\n`, stderr: "", code: 0 }
await write(process.stdout, stdout)
await write(process.stderr, stderr)
process.exit(code)
