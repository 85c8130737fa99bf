// A button that glows, ripples and gathers particles where it is touched.
//
//     make run EXAMPLE=Button                                                    in a window
//     make run EXAMPLE=Button ARGS="--script events.json --frames 90 -o FOLDER"  without a window: input events from a file, as frames
//     make run EXAMPLE=Button ARGS="--scale 3 …"                                 three pixels per point
//
// Copy Button.swift. docs/guide/gestures.md has the format of scripts.
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

let usage = "usage: Button [--size WIDTHxHEIGHT] [--scale PIXELS] [[--script EVENTS.json] --frames COUNT -o FOLDER]"
let size = (option("--size") ?? "400x240").split(separator: "x").compactMap { Int($0) }.filter { (16...4096).contains($0) }
let (count, scale) = (Int(option("--frames") ?? "1") ?? 0, Float(option("--scale") ?? "1") ?? 0)
guard size.count == 2, count > 0, (0.25...4).contains(scale), CommandLine.arguments.count % 2 == 1 else { fail(usage) }

do {
    let view = try makeView(size: Vector2(Float(size[0]), Float(size[1]))) { print("touched") }
    var options = Window.Options()
    (options.width, options.height) = (size[0], size[1])
    let window = Window("Button", showing: view, options: options)
    if let folder = option("-o") {
        let script = try option("--script").map { try EventScript(contentsOf: URL(fileURLWithPath: $0)) } ?? EventScript([])
        try await window.playHeadless(script, frames: count, scale: scale, writingTo: URL(fileURLWithPath: folder))
    } else {
        try await window.run()
    }
} catch {
    fail("\(error)")
}
