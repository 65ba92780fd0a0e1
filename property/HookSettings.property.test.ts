// HookSettings: laws of settings files. Our hooks come and go; nothing else changes.
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { gates, hookTable } from "../src/hook/Table.ts"
import { withHooks, withoutHooks } from "../src/hook/Settings.ts"
import { plainValue, readJsonTree } from "../src/text/JsonTree.ts"

const group = fc.record({
  matcher: fc.constantFrom("Write", "*", "^a$"),
  hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.string() }), { minLength: 1, maxLength: 3 })
}, { requiredKeys: ["hooks"] })
const events = fc.dictionary(
  fc.constantFrom("Stop", "PostToolUse", "PreToolUse", "SessionEnd", "Notification"),
  fc.array(group, { minLength: 1, maxLength: 3 }),
  { minKeys: 1, noNullPrototype: true }
)
const others = fc.dictionary(fc.string().filter((key) => key !== "hooks"), fc.jsonValue({ maxDepth: 2 }), {
  minKeys: 1,
  maxKeys: 4,
  noNullPrototype: true
})
const settings = fc.tuple(others, fc.option(events, { nil: undefined }), others).map(([first, hooks, second]) => ({
  ...first,
  ...(hooks === undefined ? {} : { hooks }),
  ...second
}))
const text = fc.tuple(settings, fc.constantFrom<string | number>(0, 1, 2, 4, "\t"), fc.constantFrom("\n", "\r\n"))
  .map(([value, indent, end]) => JSON.stringify(value, null, indent).replaceAll("\n", end) + end)

describe("settings", () => {
  it("are as before when our hooks have come and gone, and a second coming changes nothing", () =>
    fc.assert(fc.property(text, fc.constantFrom(...gates), fc.constantFrom(...gates), (before, gate, other) => {
      const made = Result.getOrThrow(withHooks(before, gate))
      assert.strictEqual(Result.getOrThrow(withHooks(made, gate)), made)
      assert.strictEqual(Result.getOrThrow(withHooks(Result.getOrThrow(withHooks(before, other)), gate)), made)
      assert.strictEqual(Result.getOrThrow(withoutHooks(made)), before)
      const [now, then] = [JSON.parse(made), JSON.parse(before)]
      assert.deepStrictEqual({ ...now, hooks: 0 }, { ...then, hooks: 0 })
      for (const [event, groups] of Object.entries(hookTable(gate))) {
        assert.deepStrictEqual(now.hooks[event], [...then.hooks?.[event] ?? [], ...groups])
      }
    })))
})

describe("a JSON text", () => {
  const parsed = (of: string): Result.Result<unknown, null> =>
    Result.try({ try: () => JSON.parse(of), catch: () => null })

  it("is taken and refused as by JSON.parse, also where a character is gone or doubled", () =>
    fc.assert(fc.property(fc.json(), fc.nat(), fc.nat(2), fc.constantFrom(0, 2), (json, at, times, indent) => {
      const whole = JSON.stringify(JSON.parse(json), null, indent)
      const place = at % (whole.length + 1)
      const given = whole.slice(0, place) + whole.slice(place, place + 1).repeat(times) + whole.slice(place + 1)
      const [ours, theirs] = [readJsonTree(given), parsed(given)]
      assert.strictEqual(Result.isSuccess(ours), Result.isSuccess(theirs), given)
      if (Result.isSuccess(ours) && Result.isSuccess(theirs)) {
        assert.deepStrictEqual(plainValue(ours.success), theirs.success)
      }
    })))
})
