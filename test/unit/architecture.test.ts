// architecture: who may touch the machine, who may import whom, and what a start does not load.
import { readdirSync, readFileSync } from "node:fs"
import { basename, join, normalize } from "node:path/posix"
import { assert, describe, it } from "vitest"

/** Folders in the order of their arrows: each imports itself and those before it, and none after it. */
const order = ["text", "prompts", "platform", "log", "run", "code", "agent", "review", "step", "drive", "read"]
/** What programs around the core import: all of it, and no other such program. The entries import everything. */
const outer = ["hook", "ci", "fleet", "cli"]

const entries = /^(main|index|testing|program|hookProgram|\w*[lL]ayers)\.ts$/
const src = join(import.meta.dirname, "../../src")

interface Import {
  readonly from: string
  readonly to: string
  /** Types are erased; `import()` loads when it is reached. */
  readonly kind: "value" | "type" | "later"
}

/** All imports in a text, by paths below src for files of ours. */
const importsIn = (from: string, text: string): ReadonlyArray<Import> =>
  [...text.matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm)].map(
    ([whole, early, later]): Import => {
      const named = early ?? later ?? ""
      const words = /\{([^}]*)\}/.exec(whole)?.[1]?.split(",").map((word) => word.trim()).filter((word) => word !== "")
      const isType = /^(?:import|export) type\s/.test(whole) ||
        (words !== undefined && words.length > 0 && words.every((word) => word.startsWith("type ")))
      const to = named.startsWith(".") ? normalize(join(from, "..", named)) : named
      return { from, to, kind: later !== undefined ? "later" : isType ? "type" : "value" }
    }
  )

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts")).sort()
const imports = files.flatMap((path) => importsIn(path, readFileSync(join(src, path), "utf8")))
const inside = imports.filter(({ to }) => files.includes(to))

const roomOf = (path: string): string => path.includes("/") ? path.slice(0, path.indexOf("/")) : "entries"

/** Why a file of one folder may not import another one, or null. */
const problem = (from: string, to: string): string | null => {
  const [here, there] = [roomOf(from), roomOf(to)]
  if (here === there || here === "entries" || here === "testing") return null
  const isAllowed = outer.includes(here)
    ? order.includes(there) || here === "cli" && outer.includes(there)
    : order.indexOf(there) >= 0 && order.indexOf(there) < order.indexOf(here)
  return isAllowed ? null : `${from} -> ${to}`
}

/** Circles among some imports, each as the files on it. */
const circlesOf = (some: ReadonlyArray<Import>): ReadonlyArray<string> => {
  const next = new Map<string, Array<string>>()
  for (const { from, to } of some) next.set(from, [...next.get(from) ?? [], to])
  const found: Array<string> = []
  const done = new Set<string>()
  const walk = (path: string, trail: ReadonlyArray<string>): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(" -> "))
    if (trail.includes(path) || done.has(path)) return
    for (const to of next.get(path) ?? []) walk(to, [...trail, path])
    done.add(path)
  }
  for (const path of next.keys()) walk(path, [])
  return found
}

/** All that is loaded at once with some files. */
const loadedWith = (starts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = new Set(starts)
  for (const path of found) {
    for (const { from, kind, to } of inside) if (from === path && kind === "value") found.add(to)
  }
  return [...found]
}

describe("the source", () => {
  it("is read: most imports are of files that are there", () => {
    assert.isAbove(inside.length, 1_000)
    assert.deepStrictEqual(imports.filter(({ to }) => to.endsWith(".ts") && !files.includes(to)), [])
  })

  it("touches the machine in `*.live.ts`, in `platform` and in the entries alone", () => {
    const live = /\.live\.ts$|^platform\//
    const machine = imports.filter(({ to }) => /^node:|^@effect\/platform-node/.test(to))
    assert.isNotEmpty(machine)
    assert.deepStrictEqual(machine.filter(({ from }) => !live.test(from) && !entries.test(from)), [])
  })

  it("imports along the arrows", () =>
    assert.deepStrictEqual(inside.flatMap(({ from, to }) => problem(from, to) ?? []), []))

  it("imports in no circle", () => assert.deepStrictEqual(circlesOf(inside), []))

  it("names a span after its file, or after the port that it implements", () => {
    const texts = files.map((path) => [path, readFileSync(join(src, path), "utf8")] as const)
    const ports = new Set(
      texts.flatMap(([, text]) => [...text.matchAll(/class (\w+) extends Context\.Service/g)].map(([, port]) => port))
    )
    const wrong = texts.flatMap(([path, text]) =>
      [...text.matchAll(/(?:Effect\.fn|withSpan)\("(\w+)([^"]*)"/g)].flatMap(([, first = "", rest = ""]) =>
        ports.has(first) || first === basename(path).split(".", 1)[0] ? [] : [`${path}: ${first}${rest}`]
      )
    )
    assert.deepStrictEqual(wrong, [])
  })
})

describe("a start", () => {
  const wholeOf = (...starts: ReadonlyArray<string>) => loadedWith(["main.ts", "program.ts", ...starts])
  const without = (loaded: ReadonlyArray<string>, pattern: RegExp) =>
    assert.deepStrictEqual(loaded.filter((path) => pattern.test(path)), [])

  // Beside a step: how it is drawn on the terminal, and the first look at a call, which may be an event of a session.
  const beyond = "^(?:drive|fleet|ci)/|^run/Document|^read/(?!view/)|^hook/(?!(?:Event|Flags|Table)\\.ts$)"

  it("of a mark loads no loop, no driver and no walk of a log, which brings a compiler of schemas", () =>
    without(wholeOf("step/MarkStep.ts"), new RegExp(`${beyond}|^step/Loop|^log/Walk`)))

  it("of a loop loads no driver and no plan, whose library is as large as a whole mark", () =>
    without(wholeOf("step/LoopStep.ts"), new RegExp(beyond)))

  it("of a review for a session loads no document of a subcommand", () =>
    without(loadedWith(["main.ts", "hookProgram.ts"]), /^run\/Document|^log\/Walk/))

  it("for help or a quiet event of a session loads nothing of Effect", () => {
    const loaded = new Set(loadedWith(["main.ts"]))
    assert.deepStrictEqual(
      imports.filter(({ from, kind, to }) => loaded.has(from) && kind === "value" && /^@?effect(\/|$)/.test(to)),
      []
    )
  })
})
