/** For commands that can log in for themselves alone. */
export const memoryOption = {
  name: 'store',
  kind: 'string',
  choices: ['memory'],
  value: 'memory',
  describe:
    'for this command alone: logs in for it, keeps that login in memory, and uses none that is stored; at its end it is forgotten, not revoked',
} as const;

/** Is the login of this command to be its own? */
export function isInMemory(options: object): boolean {
  return 'store' in options && options.store === 'memory';
}

/** The arguments of a command whose login is to be its own: then it has to make one. */
export function withOwnLogin<Arguments extends { readonly login: boolean }>(args: Arguments): Arguments {
  return isInMemory(args) ? { ...args, login: true } : args;
}
