import { z } from 'zod';
import type { RecordType } from '../download-record.ts';
import { kinds, type JobWorkflow } from './kinds.ts';

type InputOf<Type extends RecordType> = (typeof kinds)[Type]['job'];
type InputsOf = { [Type in RecordType as (typeof kinds)[Type]['workflow']]: z.ZodTuple<[InputOf<Type>], null> };

/** Kinds share a workflow where they differ in their type only. */
const schemasOf = (workflow: JobWorkflow) =>
  Object.values(kinds)
    .filter((kind) => kind.workflow === workflow)
    .map(({ job }) => job) as [(typeof kinds)[RecordType]['job']];

/** The arguments of the workflow of each kind. Values that could lead out of a folder or a URL are refused. */
export const jobInputs = Object.fromEntries(
  Object.values(kinds).map(({ workflow }) => [workflow, z.tuple([z.discriminatedUnion('type', schemasOf(workflow))])]),
) as unknown as InputsOf;

export const jobSchema = z.union(Object.values(kinds).map(({ job }) => job));
