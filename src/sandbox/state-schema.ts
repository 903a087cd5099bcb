import { z } from 'zod';

const record = z.tuple([z.string(), z.looseObject({}), z.number().nullable()]);

const keySchema = z.looseObject({ kid: z.string(), alg: z.string() });

const stateSchema = z.object({
  version: z.literal(1),
  ports: z.object({ server: z.number().int(), authorization: z.number().int() }),
  keys: z.array(keySchema),
  records: z.record(z.string(), z.array(record)),
});

export type State = z.infer<typeof stateSchema>;

export type KeptRecord = z.infer<typeof record>;

/** What an earlier sandbox kept. A file of its own: zod is no package that comes with the program, so it is bundled. */
export const readState = (text: string): State => stateSchema.parse(JSON.parse(text));
