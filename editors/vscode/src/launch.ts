// Launch shapes as people type them. Knows nothing of VS Code.

/** `256`, `32x8`, `32, 8, 1`: one to three numbers from 1 on; undefined for anything else. */
export function readShape(text: string): number[] | undefined {
  const parts = text.trim().split(/\s*[x,×]\s*|\s+/i);
  if (parts.length > 3 || !parts.every((part) => /^[1-9]\d*$/.test(part))) {
    return undefined;
  }
  return parts.map(Number);
}

/** What is wrong with a block, in a sentence; undefined for nothing. */
export function problemOfBlock(text: string): string | undefined {
  const shape = readShape(text);
  if (shape === undefined) {
    return "One to three numbers, as in 32 x 8";
  }
  const threads = shape.reduce((all, axis) => all * axis, 1);
  return threads > 1024 ? `A block has at most 1024 threads, not ${threads}` : undefined;
}
