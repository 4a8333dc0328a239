import { isFromFrame, type FromFrame, type Hello, type ToFrame } from '@tessera/contract/frame'

/** The port to one frame. */
export interface Bridge {
  postMessage(message: ToFrame): void
  close(): void
}

/** Sends the hello to the frame, for exactly `origin`. Every later message goes over the port, which no other window has. */
export function openBridge(frame: HTMLIFrameElement, origin: string, hello: Hello, onMessage: (message: FromFrame) => void): Bridge {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent) => {
    if (isFromFrame(data)) onMessage(data)
  }
  frame.contentWindow?.postMessage(hello, origin, [port2])
  return port1
}

/** A random frame id: 128 bits in hex. */
export function createFrameId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => (byte % 16).toString(16)).join('')
}
