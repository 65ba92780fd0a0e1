// Settings: our hooks in a settings file: installed once, removed without a trace, and checked; nothing else changes.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { hookTable } from "../../../src/hook/Table.ts"
import {
  installChecks,
  installedHooks,
  type InstalledHooks,
  type InstallFacts,
  type Scope,
  scopes,
  withHooks,
  withoutHooks
} from "../../../src/hook/Settings.ts"

const put = (text: string, gate: "off" | "review" | "ladder" = "review") => Result.getOrThrow(withHooks(text, gate))
const cleared = (text: string) => Result.getOrThrow(withoutHooks(text))

const foreign = { type: "command", command: "prettier --write" }
const settings = {
  model: "opus",
  hooks: { PostToolUse: [{ matcher: "Write", hooks: [foreign] }], Notification: [{ hooks: [foreign] }] },
  env: { A: "1" }
}
const texts: ReadonlyArray<readonly [string, string]> = [
  ["two spaces", `${JSON.stringify(settings, null, 2)}\n`],
  ["four spaces", JSON.stringify(settings, null, 4)],
  ["tabs", `${JSON.stringify(settings, null, "\t")}\n`],
  ["CRLF", JSON.stringify(settings, null, 2).replaceAll("\n", "\r\n")],
  ["one line", JSON.stringify(settings)],
  ["its own layout", '{ "model": "opus",\n   "permissions": { "allow": [ "Read", "Bash" ] }, "n": 1.0 }\n'],
  ["an event of ours without handlers", '{\n  "a": 1,\n  "hooks": {\n    "Stop": [\n      {}\n    ]\n  }\n}\n']
]

describe("settings of a user", () => {
  it.each(texts)("with %s have our hooks beside the user's own", (_, text) => {
    const made = JSON.parse(put(text))
    const before = JSON.parse(text)
    assert.deepStrictEqual({ ...made, hooks: 0 }, { ...before, hooks: 0 })
    for (const [event, groups] of Object.entries(hookTable("review"))) {
      assert.deepStrictEqual(made.hooks[event], [...before.hooks?.[event] ?? [], ...groups])
    }
    assert.deepStrictEqual(Object.keys(made).filter((key) => key in before), Object.keys(before))
  })

  it.each<readonly [string, string]>([
    ...texts,
    ["empty lists", '{"hooks": {"Stop": []}}'],
    ["no events", '{"hooks": {}}']
  ])(
    "with %s are not changed if they have no hooks of ours",
    (_, text) => assert.strictEqual(cleared(text), text)
  )

  it.each(["", "\n", "{}"])("that are empty (%j) then have only our hooks", (text) => {
    assert.strictEqual(
      put(text),
      `${JSON.stringify({ hooks: hookTable("review") }, null, 2)}${text === "{}" ? "" : "\n"}`
    )
    assert.deepStrictEqual(JSON.parse(cleared(put(text))), {})
  })

  it("have one gate, the last one chosen", () => {
    const [ladder] = [put(put(JSON.stringify(settings, null, 2)), "ladder")]
    assert.strictEqual(ladder, put(JSON.stringify(settings, null, 2), "ladder"))
    assert.deepInclude(Result.getOrThrow(installedHooks(ladder)), { gates: ["ladder"], handlers: 8 })
  })

  it("lose a handler of ours, and keep another handler in the same group", () => {
    const group = { hooks: [{ type: "command", command: "ooda-codex-review hook --gate off" }, foreign] }
    const text = JSON.stringify({ hooks: { Stop: [group], SessionEnd: [{ hooks: [group.hooks[0]] }] } })
    assert.deepStrictEqual(JSON.parse(cleared(text)), { hooks: { Stop: [{ hooks: [foreign] }] } })
  })

  it("keep our hooks in their places if all are there already", () => {
    const { hooks } = JSON.parse(put("{}"))
    const text = JSON.stringify({ hooks: { ...hooks, Stop: [...hooks.Stop, { hooks: [foreign] }] } })
    assert.strictEqual(put(text), text)
  })
})

describe("settings that cannot be edited", () => {
  it.each([
    ["{", "malformed JSON on line 1"],
    ['{\n"a": 1,\n}', "malformed JSON on line 3"],
    ["// a comment\n{}", "malformed JSON on line 1"],
    ["[]", "it is not a JSON object"],
    ['{"hooks": []}', "its hooks are not an object"],
    ['{"hooks": {"Stop": {}}}', "the hooks of an event are not a list"]
  ])("%j are refused", (text, problem) => {
    assert.deepStrictEqual(withHooks(text, "review"), Result.fail(problem))
    assert.deepStrictEqual(withoutHooks(text), Result.fail(problem))
    assert.deepStrictEqual(installedHooks(text), Result.fail(problem))
  })
})

describe("the content of settings", () => {
  it("is empty without hooks of ours", () => {
    for (const text of ["", "{}", JSON.stringify(settings)]) {
      assert.deepStrictEqual(
        installedHooks(text),
        Result.succeed({ handlers: 0, gates: [], plugins: [], isOff: false })
      )
    }
  })

  it("includes the enabled plugins, and whether all hooks are off", () => {
    const enabledPlugins = { "ooda@ooda-codex-review": true, "ooda@other": false, "x@y": true }
    assert.deepStrictEqual(
      installedHooks(JSON.stringify({ enabledPlugins, disableAllHooks: true })),
      Result.succeed({
        handlers: 0,
        gates: [],
        plugins: [["ooda@ooda-codex-review", true], ["ooda@other", false]],
        isOff: true
      })
    )
  })
})

describe("the checks", () => {
  const nothing: InstalledHooks = { handlers: 0, gates: [], plugins: [], isOff: false }
  const hooks: InstalledHooks = { ...nothing, handlers: 8, gates: ["review"] }
  const plugin = (isOn: boolean): InstalledHooks => ({ ...nothing, plugins: [["ooda@m", isOn]] })

  const checks = (
    found: Partial<Record<Scope, InstalledHooks | { readonly problem: string }>>,
    facts: Partial<InstallFacts> = {}
  ) =>
    installChecks({
      settings: scopes.map((scope) => ({ scope, path: `/${scope}.json`, hooks: found[scope] ?? nothing })),
      program: "/bin/ooda-codex-review",
      codex: { path: "/bin/codex" },
      isOff: false,
      ...facts
    }).map(({ fix, found, name, state }) => `${state} ${name}: ${found}${fix === null ? "" : ` [${fix}]`}`)

  const wrong = (...args: Parameters<typeof checks>) => checks(...args).filter((line) => line.startsWith("wrong "))

  describe("an installation", () => {
    it("lists each place", () =>
      assert.deepStrictEqual(checks({ user: hooks, project: { ...hooks, gates: [] } }), [
        "fine user: 8 hooks, gate review (/user.json)",
        "fine project: 8 hooks, gate review (/project.json)",
        "note local: no hooks of ours (/local.json)",
        "note plugin: not enabled",
        "fine program: /bin/ooda-codex-review",
        "fine codex: /bin/codex"
      ]))

    it("that does not exist is fine, whatever is missing", () =>
      assert.deepStrictEqual(checks({}, { program: null, codex: { problem: "no codex" } }).slice(4), [
        "note hooks: nothing is installed [ooda-codex-review hook install]",
        "note program: ooda-codex-review is not on PATH, so the hooks do nothing " +
        "[npm install -g ooda-codex-review, or npm link in its checkout]",
        "note codex: no codex [npm install -g @openai/codex; then ooda-codex-review doctor]"
      ]))

    it("needs the program and codex", () => {
      for (const known of [hooks, plugin(true)]) {
        const found = wrong({ user: known }, { program: null, codex: { problem: "no codex" } })
        assert.deepStrictEqual(found.map((line) => line.split(":")[0]), ["wrong program", "wrong codex"])
      }
    })

    it("must not run both as a plugin and from settings", () =>
      assert.deepStrictEqual(wrong({ user: { ...plugin(true), ...{ handlers: 8 } }, project: hooks }), [
        "wrong twice: the plugin and user and project settings both run their hooks " +
        "[ooda-codex-review hook uninstall --scope user; ooda-codex-review hook uninstall --scope project]"
      ]))

    it("runs once if a nearer file turns the plugin off, and if two files have the same hooks", () => {
      assert.deepStrictEqual(wrong({ user: plugin(true), project: hooks, local: plugin(false) }), [])
      assert.deepStrictEqual(wrong({ user: hooks, project: hooks }), [])
    })

    it("must not have two gates", () =>
      assert.deepStrictEqual(wrong({ user: hooks, project: { ...hooks, gates: ["ladder"] } }), [
        "wrong twice: settings name several gates, and all of them run: review, ladder " +
        "[ooda-codex-review hook uninstall --scope project]"
      ]))

    it("that is turned off says by what", () =>
      assert.deepStrictEqual(
        checks({ user: { ...hooks, isOff: true } }, { isOff: true }).filter((line) => line.includes(" off: ")),
        [
          "note off: /user.json turns all hooks off [remove disableAllHooks from /user.json]",
          "note off: CODEX_REFLECTOR_ENABLED turns reviews off [unset CODEX_REFLECTOR_ENABLED]"
        ]
      ))

    it("in a file that cannot be read is wrong", () =>
      assert.deepStrictEqual(wrong({ user: { problem: "malformed JSON on line 1" } }), [
        "wrong user: malformed JSON on line 1 [correct /user.json]"
      ]))
  })
})
