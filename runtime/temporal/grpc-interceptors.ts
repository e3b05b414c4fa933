import { InterceptingCall, Metadata, status, type Interceptor } from '@grpc/grpc-js';
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/**
 * Ends a call on a closed connection with the status CANCELLED. gRPC throws instead, and the SDK's retries run in timers, whose
 * errors nothing can catch.
 */
const cancelWhenClosed: Interceptor = (options, nextCall) => {
  try {
    return new InterceptingCall(nextCall(options));
  } catch (error) {
    return new InterceptingCall(null as never, {
      start(_metadata, listener) {
        // Each call of gRPC delivers a message before its status; the SDK's retries depend on it.
        listener.onReceiveMessage(null);
        listener.onReceiveStatus({ code: status.CANCELLED, details: String(error), metadata: new Metadata() });
      },
      cancel() {
        // The call has ended already.
      },
    });
  }
};

/** The interceptors of each connection of a client: the retries of the SDK, which end when the connection is closed. */
export const grpcInterceptors: readonly Interceptor[] = [
  makeGrpcRetryInterceptor(defaultGrpcRetryOptions()),
  cancelWhenClosed,
];
