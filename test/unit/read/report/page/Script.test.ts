// The script: it can be read, and it makes no markup of a text and loads nothing. The browser suite runs it.
import { assert, it } from "vitest"
import { script } from "../../../../../src/read/report/page/Style.ts"

it("can be read", () => assert.doesNotThrow(() => new Function(script)))

it("makes no markup, runs no text, loads nothing, stores nothing", () =>
  assert.notMatch(
    script,
    /innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function|createElement|fetch|XMLHttp|import|storage|cookie/i
  ))
