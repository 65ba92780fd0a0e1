// RunStore: the error of a store is one line that names the place and why, however long the name of the place is.
import { assert, it } from "vitest"
import { StoreFailed } from "../../../src/run/RunStore.ts"

it.each([["/state", "/state"], [`/${"a".repeat(900)}`, "/aaa"]])("the store failed about %s", (path, shown) => {
  const { message } = new StoreFailed({ path, reason: { _tag: "RootIsNoDirectory" } })
  assert.isTrue(message.startsWith(shown))
  assert.isTrue(message.endsWith(": the state root is not a directory; name one with --state-root"))
  assert.isBelow(message.length, 600)
})
