import Foundation
import VitrineGPU
import VitrineLayers
import VitrineRender

/// A shader library in a file, reloaded when the file changes.
///
/// ```swift
/// let live = try LiveShaderLibrary(url: shaderURL)
/// // before each frame, or a few times a second:
/// if case .refused(let error) = live.update(compilingOn: .automatic) { print(error) }      // glow.wgsl:12:5: …
/// layer.effects = [.color(live.library.glow(.float2(touch), .boundingRect, .float(3), .float(p)))]
/// ```
/// A version that compiles replaces the library. An error is reported once, and the last valid version stays in use.
public final class LiveShaderLibrary {
    /// The result of an update.
    public enum Change: Sendable {
        /// The file has not changed.
        case unchanged
        /// The new version is in use.
        case reloaded
        /// The current version of the file has an error.
        case refused(ShaderError)
    }

    /// The shader file.
    public let url: URL
    /// The last valid version.
    public private(set) var library: ShaderLibrary
    /// The error of the current version of the file; nil: it is in use.
    public private(set) var error: ShaderError?
    private var stamp: Stamp?
    /// The GPU that compiled the last version.
    private var device: (adapter: RenderAdapter, gpu: GPUDevice)?

    /// Identifies a version of the file without reading it; nil fields: there is no file.
    private struct Stamp: Equatable {
        var modified: Date?
        var size, number: UInt64?

        init(_ url: URL) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
            modified = attributes?[.modificationDate] as? Date
            size = (attributes?[.size] as? NSNumber)?.uint64Value
            // Editors write a new file and rename it over the old one.
            number = (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
        }
    }

    /// Reads the file.
    ///
    /// - Throws: `ShaderError` if the file cannot be read or has an error.
    public init(url: URL) throws(ShaderError) {
        self.url = url
        stamp = Stamp(url)
        library = try ShaderLibrary(url: url)
    }

    /// Reloads the library if the file has changed. Costs one system call if it has not.
    ///
    /// - Parameter adapter: The GPU that compiles a new version, opened by the first one; nil: only the declarations are checked.
    @discardableResult public func update(compilingOn adapter: RenderAdapter? = nil) -> Change {
        update { library throws(ShaderError) in
            guard let adapter else { return }
            if let device, device.adapter == adapter { return try library.compile(with: device.gpu) }
            do throws(GPUError) {
                device = (adapter, try GPUDevice.make(adapter.choice))
            } catch {
                throw ShaderError(file: "", line: 0, .device(message: error.description, doing: "opening the GPU"))
            }
            if let device { try library.compile(with: device.gpu) }
        }
    }

    private func update(compiling compile: (ShaderLibrary) throws(ShaderError) -> Void) -> Change {
        let now = Stamp(url)
        if now == stamp { return .unchanged }
        stamp = now
        do throws(ShaderError) {
            let read = try ShaderLibrary(url: url)
            try compile(read)
            (library, error) = (read, nil)
            return .reloaded
        } catch {
            self.error = error
            return .refused(error)
        }
    }
}
