// A host tells whom it likes how a run has ended.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Notifier } from "../../../src/drive/Narrator.ts"

it("a failure to tell is an answer of the port", async () => {
  const own = Notifier.of({ notify: (command) => Effect.succeed(`${command}: nobody listens`) })
  const asked = Notifier.use((notifier) => notifier.notify("cat", "{}", "/repo"))
  assert.strictEqual(await Effect.runPromise(Effect.provideService(asked, Notifier, own)), "cat: nobody listens")
})
