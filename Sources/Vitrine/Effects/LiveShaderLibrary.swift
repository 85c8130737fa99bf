import Foundation
import VitrineGPU
import VitrineLayers

/// A shader file that may be edited while the program runs.
///
/// ```swift
/// let live = try LiveShaderLibrary(url: shaderURL)
/// // before each frame, or a few times a second:
/// if case .refused(let error) = live.update(compilingOn: device) { print(error) }      // glow.wgsl:12:5: …
/// layer.effects = [.color(live.library.glow(.float2(touch), .boundingRect, .float(3), .float(p)))]
/// ```
/// A text that compiles takes the place of the one before; one that doesn't is told once, and the last good one stays.
public final class LiveShaderLibrary {
    public enum Change: Sendable {
        case unchanged, reloaded
        /// The file as it is now can't be used.
        case refused(ShaderError)
    }

    public let url: URL
    /// The last good one.
    public private(set) var library: ShaderLibrary
    /// Why the file as it is now is not in use; nil: it is.
    public private(set) var error: ShaderError?
    private var stamp: Stamp?

    /// What tells one state of a file from the next without reading it; nil fields: there is no file.
    private struct Stamp: Equatable {
        var modified: Date?
        var size, number: UInt64?

        init(_ url: URL) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
            modified = attributes?[.modificationDate] as? Date
            size = (attributes?[.size] as? NSNumber)?.uint64Value
            // Editors write a new file and rename it.
            number = (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
        }
    }

    /// - Throws: where the file can't be used to begin with.
    public init(url: URL) throws(ShaderError) {
        self.url = url
        stamp = Stamp(url)
        library = try ShaderLibrary(url: url)
    }

    /// Looks whether the file is another than last time: costs one call of the system where it isn't.
    ///
    /// - Parameter device: where it is compiled before it is taken; without, only what the text itself shows is checked.
    @discardableResult public func update(compilingOn device: GPUDevice? = nil) -> Change {
        let now = Stamp(url)
        if now == stamp { return .unchanged }
        stamp = now
        do throws(ShaderError) {
            let read = try ShaderLibrary(url: url)
            if let device { try read.compile(on: device) }
            (library, error) = (read, nil)
            return .reloaded
        } catch {
            self.error = error
            return .refused(error)
        }
    }
}
