// The style sheet loads nothing, and has a dark, a narrow and a print form.
import { assert, it } from "vitest"
import { style } from "../../../../../src/read/report/page/Style.ts"

it("loads nothing", () => assert.notMatch(style, /url\(|@import|@font-face|expression|https?:/i))

it.each(["prefers-color-scheme: dark", "max-width: 40rem", "@media print", "prefers-reduced-motion", ":focus-visible"])(
  "knows %s",
  (query) => assert.include(style, query)
)

it("closes what it opens", () => assert.strictEqual(style.split("{").length, style.split("}").length))
