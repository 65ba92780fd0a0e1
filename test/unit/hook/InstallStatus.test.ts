// What is installed, judged: where, once or twice, and what keeps it from its work.
import { assert, describe, it } from "vitest"
import {
  installChecks,
  type InstallFacts,
  type Scope,
  scopes,
  type InstalledHooks
} from "../../../src/hook/Settings.ts"

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
  it("is shown place by place", () =>
    assert.deepStrictEqual(checks({ user: hooks, project: { ...hooks, gates: [] } }), [
      "fine user: 8 hooks, gate review (/user.json)",
      "fine project: 8 hooks, gate review (/project.json)",
      "note local: no hooks of ours (/local.json)",
      "note plugin: not enabled",
      "fine program: /bin/ooda-codex-review",
      "fine codex: /bin/codex"
    ]))

  it("that is none is nothing wrong, whatever is missing", () =>
    assert.deepStrictEqual(checks({}, { program: null, codex: { problem: "no codex" } }).slice(4), [
      "note hooks: nothing is installed [ooda-codex-review hook install]",
      "note program: ooda-codex-review is not on PATH, so the hooks do nothing " +
      "[npm install -g ooda-codex-review, or npm link in its checkout]",
      "note codex: no codex [npm install -g @openai/codex; then ooda-codex-review doctor]"
    ]))

  it("needs the program and codex", () => {
    for (const told of [hooks, plugin(true)]) {
      const found = wrong({ user: told }, { program: null, codex: { problem: "no codex" } })
      assert.deepStrictEqual(found.map((line) => line.split(":")[0]), ["wrong program", "wrong codex"])
    }
  })

  it("runs twice as a plugin and in settings", () =>
    assert.deepStrictEqual(wrong({ user: { ...plugin(true), ...{ handlers: 8 } }, project: hooks }), [
      "wrong twice: the plugin and user and project settings both run their hooks " +
      "[ooda-codex-review hook uninstall --scope user; ooda-codex-review hook uninstall --scope project]"
    ]))

  it("runs once where a nearer file turns the plugin off, and where two files say the same", () => {
    assert.deepStrictEqual(wrong({ user: plugin(true), project: hooks, local: plugin(false) }), [])
    assert.deepStrictEqual(wrong({ user: hooks, project: hooks }), [])
  })

  it("with two gates is held to both", () =>
    assert.deepStrictEqual(wrong({ user: hooks, project: { ...hooks, gates: ["ladder"] } }), [
      "wrong twice: settings name several gates, and all of them run: review, ladder " +
      "[ooda-codex-review hook uninstall --scope project]"
    ]))

  it("that is turned off says by what", () =>
    assert.deepStrictEqual(
      checks({ user: { ...hooks, isOff: true } }, { isOff: true }).filter((line) => line.includes(" off: ")),
      [
        "note off: /user.json turns all hooks off [take disableAllHooks out of /user.json]",
        "note off: CODEX_REFLECTOR_ENABLED turns reviews off [unset CODEX_REFLECTOR_ENABLED]"
      ]
    ))

  it("in a file that nobody can read is wrong", () =>
    assert.deepStrictEqual(wrong({ user: { problem: "malformed JSON on line 1" } }), [
      "wrong user: malformed JSON on line 1 [correct /user.json]"
    ]))
})
