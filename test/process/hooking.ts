// hooking: calls of the hook as a process, with a script in the place of codex.
import { createHash, randomUUID } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { processesWith, type World } from "./world.ts"

/** A script that answers, and counts that it was called. */
export const answers = (text: string) =>
  `for one; do last=$out; out=$one; done; cat >/dev/null; echo x >>"$CALLS"; printf '%s' '${text}' >"$last"`

export const edit = (content: string) => ({
  hook_event_name: "PostToolUse",
  tool_name: "Write",
  tool_input: { file_path: "a.ts", content }
})
export const stop = { hook_event_name: "Stop" }

const scriptOf = (codex: string): string => `#!/bin/sh\n${codex}\n`

const fromFile = ["sh", "-c", 'exec "$@" <"$EVENT"', "sh"]

/** Callers that write the event, or nothing, and leave standard input open: with a pipe, and with a socket as node has. */
export const leftOpen: Readonly<Record<string, ReadonlyArray<string>>> = {
  pipe: [
    "sh",
    "-c",
    'mkfifo "$EVENT.pipe"; { cat "$EVENT"; exec sleep 600; } >"$EVENT.pipe" & "$@" <"$EVENT.pipe"; e=$?; kill $!; exit $e',
    "sh"
  ],
  socket: [
    "node",
    "-e",
    `const [program, ...args] = process.argv.slice(1)
    const child = require("child_process").spawn(program, args, { stdio: ["pipe", "inherit", "inherit"] })
    child.stdin.write(require("fs").readFileSync(process.env.EVENT))
    child.on("exit", (code) => process.exit(code ?? 99))`,
    "--"
  ]
}

/** One call of the hook on an event, or on bytes; codex is a script, or missing. */
export const hook = (world: World, event: object | Buffer, codex: string | null, ...flags: ReadonlyArray<string>) =>
  hookFrom(fromFile, world, event, codex, ...flags)

/** The same by a caller of its own, which reads the event from the file $EVENT. */
export const hookFrom = (
  caller: ReadonlyArray<string>,
  world: World,
  event: object | Buffer,
  codex: string | null,
  ...flags: ReadonlyArray<string>
) => {
  const bin = world.path("bin")
  mkdirSync(bin, { recursive: true })
  if (codex === null) rmSync(join(bin, "codex"), { force: true })
  else if (!existsSync(join(bin, "codex")) || readFileSync(join(bin, "codex"), "utf8") !== scriptOf(codex)) {
    // A script that is being written cannot be run by another call.
    writeFileSync(join(bin, "codex"), scriptOf(codex))
    chmodSync(join(bin, "codex"), 0o755)
  }
  const file = world.path(`event-${randomUUID()}`)
  const whole = () => JSON.stringify({ session_id: "s", prompt_id: "p", cwd: world.repo, ...event })
  writeFileSync(file, Buffer.isBuffer(event) ? event : whole())
  const variables = { EVENT: file, CALLS: world.path("calls"), PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` }
  return world.start(["hook", ...flags], variables, world.repo, caller)
}
export const called = (world: World) =>
  existsSync(world.path("calls")) ? readFileSync(world.path("calls"), "utf8").length / 2 : 0
export const sessions = (world: World) => join(world.stateRoot, "sessions")
export const stateFile = (world: World) =>
  join(sessions(world), `${createHash("sha256").update("s").digest("hex")}.json`)
export const alive = (world: World) => processesWith((variables) => variables.includes(`CALLS=${world.path("calls")}`))
