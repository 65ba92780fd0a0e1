// Instructions: which paths engines obey, and what a tree holds there once links are followed.
import { assert, describe, it } from "vitest"
import { isInstruction, trustedContent } from "../../../src/code/Instructions.ts"

describe("isInstruction", () => {
  for (
    const path of [
      "AGENTS.md",
      "deep/er/AGENTS.override.md",
      "CLAUDE.md",
      "a/CLAUDE.local.md",
      "GEMINI.md",
      ".mcp.json",
      "a/.ignore",
      ".rgignore",
      ".codex/config.toml",
      "a/.agents/skills/x/SKILL.md",
      ".claude/settings.json",
      // A link of such a name may lead anywhere.
      ".codex",
      ".github",
      ".github/copilot-instructions.md",
      ".github/mcp.json",
      "a/.github/copilot/settings.json",
      ".github/instructions/x.md",
      ".github/agents/x.md",
      ".github/skills/x/SKILL.md",
      ".github/hooks/x.json"
    ]
  ) it(`holds for ${path}`, () => assert.isTrue(isInstruction(path, false)))

  for (
    const path of [
      "agents.md",
      "AGENTS.md.txt",
      "MY-AGENTS.md",
      "AGENTSxmd",
      ".codexrc",
      "x.codex/config.toml",
      ".gitignore",
      ".github/workflows/ci.yml",
      ".github/hooks.md",
      "github/hooks/x.json",
      "AGENTS.md/x"
    ]
  ) it(`does not hold for ${path}`, () => assert.isFalse(isInstruction(path, false)))

  it("ignores the case of letters where the file system does", () => {
    for (const path of ["agents.MD", ".Codex/x", ".GitHub/Hooks/x"]) assert.isTrue(isInstruction(path, true), path)
    assert.isFalse(isInstruction("agents", true))
  })
})

describe("trustedContent", () => {
  const file = (id: string) => ({ mode: "100644", id })
  const link = (to: string) => ({ mode: "120000", id: to })
  /** The contents by path, for a tree in which the id of a link is its target. */
  const of = (tree: Readonly<Record<string, { readonly mode: string; readonly id: string }>>) =>
    Object.fromEntries(
      [...trustedContent(new Map(Object.entries(tree)), (id) => id, false)].map(([path, { id }]) => [path, id])
    )

  it("holds these files alone", () =>
    assert.deepStrictEqual(of({ "AGENTS.md": file("a"), "x.md": file("x"), "d/.claude/y": file("y") }), {
      "AGENTS.md": "a",
      "d/.claude/y": "y"
    }))

  it("follows links within the tree, through links to directories as well", () =>
    assert.deepStrictEqual(
      of({
        "docs/agents.md": file("a"),
        "shared": link("docs"),
        "AGENTS.md": link("shared/./agents.md"),
        "deep/CLAUDE.md": link("../AGENTS.md")
      }),
      { "AGENTS.md": "a", "deep/CLAUDE.md": "a" }
    ))

  it("has the files of a directory that a link leads to, but for those that lead nowhere", () =>
    assert.deepStrictEqual(
      of({
        "kit/skills/x/SKILL.md": file("x"),
        "kit/skills/y": link("x/SKILL.md"),
        "kit/skills/z": link("/etc/passwd"),
        ".claude/skills": link("../kit/skills")
      }),
      { ".claude/skills/x/SKILL.md": "x", ".claude/skills/y": "x" }
    ))

  it("is nothing where a link leads out of the tree, round in circles, to nothing or to a submodule", () =>
    assert.deepStrictEqual(
      of({
        "AGENTS.md": link("/etc/motd"),
        "etc/motd": file("e"),
        "GEMINI.md": link("../x"),
        "CLAUDE.md": link("d/CLAUDE.md"),
        "d/CLAUDE.md": link("../CLAUDE.md"),
        ".ignore": link("missing"),
        "lib": { mode: "160000", id: "l" },
        ".codex": link("lib")
      }),
      {}
    ))
})
