// A bank card to turn about: print and gold foil, a noise that sparkles under clear lacquer, raised letters, a chip, a shadow on the table.
//
//     make run EXAMPLE=Card                                                   in a window: drag the card; the light follows the pointer
//     make run EXAMPLE=Card ARGS="--size 240x240"                             at the size of a watch
//     make run EXAMPLE=Card ARGS="-o card.png"                                an image
//     make run EXAMPLE=Card ARGS="-o FOLDER --frames 90"                      three seconds as frames
//     make run EXAMPLE=Card ARGS="-o FOLDER --frames 90 --script touch.json"  the same with input events from a file (docs/guide/gestures.md)
//     make run EXAMPLE=Card ARGS="--environment studio.hdr"                   lit by an environment file (vitrine sample writes one)
//
// Copy Card.swift.
import Foundation
import Vitrine

/// Returns the value of an option; nil if it is missing.
func option(_ name: String) -> String? {
    CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
}

func fail(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("error: \(message)\n".utf8))
    exit(message.hasPrefix("usage") ? 2 : 1)
}

let usage = "usage: Card [--size WIDTHxHEIGHT] [--environment IMAGE] [-o IMAGE.png | -o FOLDER --frames COUNT [--script EVENTS.json]]"
let size = (option("--size") ?? "960x720").split(separator: "x").compactMap { Int($0) }.filter { (16...4096).contains($0) }
let count = Int(option("--frames") ?? "1") ?? 0
guard size.count == 2, count > 0, CommandLine.arguments.count % 2 == 1 else { fail(usage) }

do {
    let environment = try option("--environment").map { Environment(image: try Image(contentsOf: URL(fileURLWithPath: $0))) } ?? .studio()
    let view = try makeView(in: environment)
    var options = Window.Options()
    (options.width, options.height) = (size[0], size[1])
    let window = Window("Card", showing: view, options: options)
    if let output = option("-o"), let path = option("--script") {
        let script = try EventScript(contentsOf: URL(fileURLWithPath: path))
        try await window.playHeadless(script.events, frames: count, framesPerSecond: 30) { frame, image in
            try image.write(to: URL(fileURLWithPath: "\(output)/card-\(1000 + frame).png"))
        }
    } else if let output = option("-o") {
        for frame in 0..<count {
            let name = option("--frames") == nil ? output : "\(output)/card-\(1000 + frame).png"
            try view.snapshot(width: size[0], height: size[1]).write(to: URL(fileURLWithPath: name))
            view.scene.advance(by: 1 / 30)
        }
    } else {
        try await window.run()
    }
} catch {
    fail("\(error)")
}
