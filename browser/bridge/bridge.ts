import { frameProtocol, readFromFrame, type FromFrame, type ToFrame } from '@tessera/contract/frame'

/** A line to one frame. */
export interface Bridge {
  say(message: ToFrame): void
  close(): void
}

/** Says hello to the frame once it is there, to exactly `origin`; everything after goes over a port that nobody else holds. */
export function openBridge(frame: HTMLIFrameElement, origin: string, id: string, hear: (message: FromFrame) => void): Bridge {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data: said }: MessageEvent) => {
    const message = readFromFrame(said)
    if (message !== null) hear(message)
  }
  frame.contentWindow?.postMessage({ tessera: frameProtocol, id }, origin, [port2])
  return { say: (message) => port1.postMessage(message), close: () => port1.close() }
}

/** 128 bits in hex. */
export function makeId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
