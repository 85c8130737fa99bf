import VitrineFiles
import VitrineGPU
import VitrineLayers
import VitrineRender

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// The error of the current version of the file; nil if that version is in use.
    public private(set) var error: ShaderError?
    /// Identifies the version of the file; nil if the file did not exist.
    private var stamp: FileStatus?
    /// The GPU that compiled the last version.
    private var device: (adapter: RenderAdapter, gpu: GPUDevice)?

    /// Reads the file.
    ///
    /// - Throws: `ShaderError` if the file cannot be read or has an error.
    public init(url: URL) throws(ShaderError) {
        self.url = url
        stamp = FileStatus(path: url.path)
        library = try ShaderLibrary(url: url)
    }

    /// Reloads the library if the file has changed. Costs one system call if it has not.
    ///
    /// - Parameter adapter: The GPU that compiles new versions, opened for the first one; nil to check only the declarations.
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
        let now = FileStatus(path: url.path)
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
