// NotifierLive: the program reads the document, and says why it failed.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { notifierLayer } from "../../../src/drive/Narrator.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { Notifier } from "../../../src/drive/Narrator.ts"

const told = (command: string, cwd: string) =>
  Effect.runPromise(
    Notifier.use(({ notify }) => notify(command, `{"outcome":"DoneFixedPoint"}\n`, cwd)).pipe(
      Effect.provide(notifierLayer),
      Effect.provideService(Environment, process.env)
    )
  )

it("the program gets the document on standard input, in the caller's directory", async () => {
  const directory = mkdtempSync(join(tmpdir(), "notify-"))
  assert.isNull(await told("cat > told.json", directory))
  assert.strictEqual(readFileSync(join(directory, "told.json"), "utf8"), `{"outcome":"DoneFixedPoint"}\n`)
  assert.match(await told("echo no mail >&2; exit 3", directory) ?? "", /no mail/)
  rmSync(directory, { recursive: true })
})
