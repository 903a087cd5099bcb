export interface SandboxAccount {
  readonly id: string;
  readonly name: string;
}

/** Whom one can log in as. There is no password: whoever reaches the page may choose. */
export const accounts: readonly SandboxAccount[] = [
  { id: 'alice', name: 'Alice Example' },
  { id: 'bob', name: 'Bob Example' },
];

export function accountById(id: string): SandboxAccount | undefined {
  return accounts.find((account) => account.id === id);
}
