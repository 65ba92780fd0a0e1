// support: the versions of Node that test/nodes/package.json pins, and where they are.
import { join } from "node:path"

export const lines = ["20", "22", "24"] as const

export const binaryOf = (line: string): string => join(import.meta.dirname, "node_modules", `node-${line}`, "bin/node")

/** Whether the packages of Node run here: they are built for this kind of machine alone. */
export const onThisKind = process.platform === "linux" && process.arch === "x64"
