import type { Neighbours } from '../../ports/neighbours.js';

/** Removes a program that was written for an entry, unless another entry needs it. */
export async function removeShim(
  { files, records }: Pick<Neighbours, 'files' | 'records'>,
  path: string | undefined,
): Promise<void> {
  if (path === undefined || (await records.all()).some(({ record }) => record.shim === path)) return;
  await files.forget(path);
}
