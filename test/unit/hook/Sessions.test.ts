// A session that cannot be kept says why.
import { assert, it } from "vitest"
import { StoreFailed } from "../../../src/run/RunStore.ts"
import { SessionFailed, type SessionReason } from "../../../src/hook/Sessions.ts"

const refused = { _tag: "SystemRefused", code: "EIO", call: "read", said: "EIO: i/o error, read" } as const
const store = new StoreFailed({ path: "/s", reason: { _tag: "RootIsLink" } })
const cases: ReadonlyArray<readonly [SessionReason, string]> = [
  [{ _tag: "NoSession" }, "this is no session of Claude Code [--session ID names the one meant]"],
  [{ _tag: "NotOwn", path: "/f" }, "/f is no file of this user"],
  [{ _tag: "NotPrivate", path: "/d" }, "/d is no private directory of this user"],
  [{ _tag: "TooLarge", path: "/f", most: 9 }, "/f is larger than 9 bytes"],
  [{ _tag: "NoState", path: "/f" }, "/f holds no state of a session"],
  [{ _tag: "Directory", path: "/f" }, "/f is a directory"],
  [{ _tag: "NoSpace", path: "/d" }, "no space is left for /d"],
  [{ _tag: "LockRefused", path: "/l", fault: refused }, "/l: the disk reported an input/output error (EIO: read)"],
  [refused, "EIO: i/o error, read"],
  [store, store.message]
]

it.each(cases)(
  "the failure is told by its reason: %o",
  (reason, text) => assert.strictEqual(new SessionFailed({ reason }).message, text)
)
