import type * as trpc from '@trpc/server';
import type { Error as ErrorBody } from './generated/types.gen.ts';

/** The input of a procedure: the fields of the body, the query and the path of its REST operation. */
type InputOf<Data> = [Part<Data, 'body' | 'query' | 'path'>] extends [never]
  ? never
  : Otherwise<OrNull<Part<Data, 'body'>>, unknown> &
      Otherwise<OrNull<Part<Data, 'query'>>, unknown> &
      Otherwise<PathOf<Part<Data, 'path'>>, unknown>;
/** `never` for parts that an operation does not have. */
type Part<Data, Name extends string> = Name extends keyof Data ? NonNullable<Data[Name]> : never;
type PathOf<Path> = [Path] extends [never] ? never : { [Name in keyof Path as FieldName<Name & string>]: Path[Name] };
type FieldName<Name extends string> = Name extends `${infer Head}Id` ? `${Head}_id` : Name;
type OrNull<Fields> = {
  [Name in keyof Fields]: undefined extends Fields[Name] ? Fields[Name] | null : Fields[Name];
};
/** How long a response may wait for the result of a job. */
export interface Wait {
  readonly wait_seconds?: number | null | undefined;
}
type Taking<Data, More> = Otherwise<InputOf<Data> & More, void>;
type Otherwise<Type, None> = [Type] extends [never] ? None : Type;
type AnswersOf<Bodies, Status extends keyof Bodies> = Exclude<Bodies[Status], ErrorBody>;
interface Procedure<Input, Output> {
  input: Input;
  output: Output;
  meta: object;
}

export type Query<Data, Bodies, Status extends keyof Bodies, More = unknown> = trpc.TRPCQueryProcedure<
  Procedure<Taking<Data, More>, AnswersOf<Bodies, Status>>
>;
export type Mutation<Data, Bodies, Status extends keyof Bodies, More = unknown> = trpc.TRPCMutationProcedure<
  Procedure<Taking<Data, More>, AnswersOf<Bodies, Status>>
>;
export type Export<Data> = trpc.TRPCQueryProcedure<
  Procedure<Taking<Data, unknown>, { readonly name: string; readonly contentType: string; readonly text: string }>
>;
interface LastEvent {
  readonly lastEventId?: string | null | undefined;
}
export type Events<Data, Body> = trpc.TRPCSubscriptionProcedure<
  Procedure<
    [InputOf<Data>] extends [never] ? LastEvent | undefined : InputOf<Data> & LastEvent,
    AsyncIterable<{ readonly id: string; readonly data: Body }>
  >
>;

interface ErrorShape extends Omit<trpc.TRPCDefaultErrorShape, 'data'> {
  readonly data: Omit<trpc.TRPCDefaultErrorData, 'stack'> & { readonly body: ErrorBody };
}
export type RouterOf<Procedures extends trpc.TRPCRouterRecord> = trpc.TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  Procedures
>;
