/** What the agent is told to do. `id`: of a program that it starts. */
export type ToAgent = { readonly id: number } & (
  | {
      readonly start: {
        readonly command: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly folder: string;
      };
    }
  | { readonly input: string }
  | { readonly end: true }
  | { readonly kill: NodeJS.Signals }
);

/** What it says of a program. Bytes are in base64. */
export type FromAgent = { readonly id: number } & (
  | { readonly stream: 'stdout' | 'stderr'; readonly bytes: string }
  | { readonly error: string }
  | { readonly code: number | null; readonly signal: NodeJS.Signals | null }
);
