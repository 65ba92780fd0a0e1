// support: the versions of Node that test/nodes/package.json pins, and where they are.
import { join } from "node:path"

export const lines = ["20", "22", "24"] as const

export const binaryOf = (line: string): string => join(import.meta.dirname, "node_modules", `node-${line}`, "bin/node")
