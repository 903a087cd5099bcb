/** `--pin`: of those commands that `setup` writes into the configuration of other programs. */
export const pinOption = {
  name: 'pin',
  kind: 'string',
  value: 'HASH',
  describe: 'only while the name is that of the login it was for; setup writes it where it writes no address',
} as const;
