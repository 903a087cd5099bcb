export interface SandboxAccount {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Whom one can log in as. There is no password: whoever reaches the page may choose. */
export const accounts: readonly SandboxAccount[] = [
  { id: 'alice', name: 'Alice Example', email: 'alice@sandbox.example' },
  { id: 'bob', name: 'Bob Example', email: 'bob@sandbox.example' },
];

export function accountById(id: string): SandboxAccount | undefined {
  return accounts.find((account) => account.id === id);
}
