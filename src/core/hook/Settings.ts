// Settings: our hooks put into a settings file of Claude Code, taken out of it, and told.
// The one rule: what is not ours keeps every character, and a text that is no JSON object is left alone.
import { Result } from "effect"
import { added, type Added, type Splice, spliced, without } from "../text/JsonEdit.ts"
import { type JsonNode, memberOf, plainValue, readJsonTree } from "../text/JsonTree.ts"
import { jsonText } from "../text/JsonText.ts"
import { type Gate, hookTable, isOurs, type PlanTime } from "./HookTable.ts"

const objectOf = (text: string): Result.Result<JsonNode, string> =>
  Result.flatMap(readJsonTree(text), (root) => {
    if (root._tag !== "Object") return Result.fail("it is no JSON object")
    const hooks = memberOf(root, "hooks")?.value
    if (hooks === undefined) return Result.succeed(root)
    if (hooks._tag !== "Object") return Result.fail("its hooks are no object")
    const odd = hooks.members.find(({ value }) => value._tag !== "Array")
    return odd === undefined ? Result.succeed(root) : Result.fail("the hooks of an event are no list")
  })

const itemsOf = (node: JsonNode | undefined): ReadonlyArray<JsonNode> => node?._tag === "Array" ? node.items : []

const handlersOf = (group: JsonNode): JsonNode | undefined => memberOf(group, "hooks")?.value

const commandOf = (handler: JsonNode): string => {
  const command = memberOf(handler, "command")?.value
  return command?._tag === "Scalar" && typeof command.value === "string" ? command.value : ""
}

const isHandler = (handler: JsonNode): boolean => isOurs(commandOf(handler))

/** What is ours of a part, and whether anything else would be left of it. */
interface Share {
  readonly all: boolean
  readonly splices: ReadonlyArray<Splice>
}

/** The share of a whole, from the shares of its parts: parts that are ours alone leave it as one piece. */
const shareOf = (whole: JsonNode | undefined, shares: ReadonlyArray<Share>): Share => {
  const gone = new Set(shares.flatMap(({ all }, i) => all ? [i] : []))
  if (whole === undefined) return { all: false, splices: [] }
  const splices = [...without(whole, gone), ...shares.flatMap(({ all, splices }) => all ? [] : splices)]
  return { all: gone.size > 0 && gone.size === shares.length, splices }
}

const ofGroup = (group: JsonNode): Share => {
  const handlers = handlersOf(group)
  return shareOf(handlers, itemsOf(handlers).map((one) => ({ all: isHandler(one), splices: [] })))
}

const removal = (root: JsonNode): ReadonlyArray<Splice> => {
  const hooks = memberOf(root, "hooks")
  if (root._tag !== "Object" || hooks?.value._tag !== "Object") return []
  const events = hooks.value.members.map(({ value }) => shareOf(value, itemsOf(value).map(ofGroup)))
  const share = shareOf(hooks.value, events)
  return share.all ? without(root, new Set([root.members.indexOf(hooks)])) : share.splices
}

const addition = (text: string, root: JsonNode, table: ReturnType<typeof hookTable>): ReadonlyArray<Splice> => {
  const hooks = memberOf(root, "hooks")?.value
  if (hooks === undefined) return [added(text, root, [{ key: "hooks", value: table }])]
  const present = Object.entries(table).flatMap(([event, groups]) => {
    const list = memberOf(hooks, event)?.value
    return list === undefined ? [] : [added(text, list, groups.map((value) => ({ value })))]
  })
  const absent = Object.entries(table).flatMap(([key, value]): ReadonlyArray<Added> =>
    memberOf(hooks, key) === undefined ? [{ key, value }] : []
  )
  return absent.length === 0 ? present : [...present, added(text, hooks, absent)]
}

/** What is ours of a settings file: each handler with its event and its matcher. */
const oursIn = (root: JsonNode) => {
  const hooks = memberOf(root, "hooks")?.value
  return (hooks?._tag === "Object" ? hooks.members : []).flatMap(({ key, value }) =>
    itemsOf(value).flatMap((group) =>
      itemsOf(handlersOf(group)).filter(isHandler).map((handler) => {
        const matcher = memberOf(group, "matcher")
        return { event: key, matcher: matcher === undefined ? null : plainValue(matcher.value), handler }
      })
    )
  )
}

const listed = (ours: ReturnType<typeof oursIn>): string =>
  jsonText(ours.map(({ event, handler, matcher }) => jsonText([event, matcher, plainValue(handler)])).toSorted())

const wanted = (table: ReturnType<typeof hookTable>): string =>
  Result.match(readJsonTree(jsonText({ hooks: table })), {
    onFailure: () => "",
    onSuccess: (root) => listed(oursIn(root))
  })

/** The settings without what is ours. Nothing is changed where nothing is ours. */
export const withoutHooks = (text: string): Result.Result<string, string> =>
  text.trim() === "" ? Result.succeed(text) : Result.map(objectOf(text), (root) => spliced(text, removal(root)))

/** The settings with our hooks, and once. Nothing is changed where they are there already. */
export const withHooks = (text: string, gate: Gate, plans: PlanTime = "after"): Result.Result<string, string> =>
  Result.gen(function*() {
    const table = hookTable(gate, plans)
    const given = text.trim() === "" ? "{}\n" : text
    if (listed(oursIn(yield* objectOf(given))) === wanted(table)) return text
    const cleared = yield* withoutHooks(given)
    return spliced(cleared, addition(cleared, yield* objectOf(cleared), table))
  })

/** What a settings file says of us. */
export interface Told {
  /** How many of our handlers it holds. */
  readonly handlers: number
  /** The gates that its Stop names. */
  readonly gates: ReadonlyArray<string>
  /** Our plugin, by the names of marketplaces, and whether it is on. */
  readonly plugins: ReadonlyArray<readonly [string, boolean]>
  /** Whether it turns all hooks off. */
  readonly isOff: boolean
}

const isTrue = (node: JsonNode | undefined): boolean => node?._tag === "Scalar" && node.value === true

/** Tells what is installed by a settings file. */
export const toldBy = (text: string): Result.Result<Told, string> =>
  Result.map(text.trim() === "" ? readJsonTree("{}") : objectOf(text), (root) => {
    const ours = oursIn(root)
    const plugins = memberOf(root, "enabledPlugins")?.value
    return {
      handlers: ours.length,
      gates: ours.flatMap(({ handler }) => / --gate[ =](\w+)/.exec(commandOf(handler))?.slice(1) ?? []),
      plugins: (plugins?._tag === "Object" ? plugins.members : [])
        .filter(({ key }) => key.startsWith("ooda@")).map(({ key, value }) => [key, isTrue(value)]),
      isOff: isTrue(memberOf(root, "disableAllHooks")?.value)
    }
  })
