// mirror: what is missing for `test/unit` to mirror `src`: each module has a test of its own that imports it.
import { dirname, join, normalize } from "node:path"
import type { Source } from "./Source.ts"

/** The suites that belong to no single module, each with the reason; a path ends a folder's name with `/`. */
export type Spanning = Readonly<Record<string, string>>

const suite = /^test\/unit\/(.+?)(\.[a-z]+)?\.test\.ts$/

/** The module that a suite is about by its name: `A.test.ts` and each `A.part.test.ts` are about `A.ts`. */
const moduleOf = (path: string): string => `src/${suite.exec(path)?.[1] ?? ""}.ts`

const suiteOf = (module: string): string => module.replace(/^src\/(.*)\.ts$/, "test/unit/$1.test.ts")

const imported = ({ imports, path }: Source): ReadonlyArray<string> =>
  imports.map(({ from }) => normalize(join(dirname(path), from)))

const spans = (path: string, spanning: Spanning): boolean =>
  Object.keys(spanning).some((one) => one.endsWith("/") ? path.startsWith(one) : path === one)

/** Everything that keeps `suites` from mirroring `modules`, each problem in one line. */
export const mirrorProblems = (
  modules: ReadonlyArray<string>,
  suites: ReadonlyArray<Source>,
  spanning: Spanning
): ReadonlyArray<string> => {
  const known = new Set(modules)
  const tested = new Set(
    modules.filter((module) => suites.some((one) => one.path === suiteOf(module) && imported(one).includes(module)))
  )
  return [
    ...modules.filter((one) => !tested.has(one)).map((one) => `${one}: ${suiteOf(one)} does not import it`),
    ...suites.filter(({ path }) => !known.has(moduleOf(path)) && !spans(path, spanning))
      .map(({ path }) => `${path}: mirrors no module`),
    ...Object.keys(spanning).filter((one) => !suites.some(({ path }) => spans(path, { [one]: "" })))
      .map((one) => `${one}: is listed as spanning modules, but there is no such suite`),
    ...suites.filter(({ path }) => known.has(moduleOf(path)) && spans(path, spanning))
      .map(({ path }) => `${path}: mirrors ${moduleOf(path)} and spans nothing`)
  ]
}
