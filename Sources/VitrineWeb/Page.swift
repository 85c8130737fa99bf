import CVitrineWeb
import VitrineGPU
import VitrineRender
import VitrineScene

/// The resources that the viewers of a page share: one device, and all uploaded and compiled objects.
package final class Page {
    package let device: GPUDevice
    /// The renderer that owns the shared resources; it draws nothing itself.
    let renderer: Renderer
    private var canvases: [Int32: any PageCanvas] = [:]
    private var lastNumber: Int32 = 0
    /// The canvas of the last call, which receives the warnings of shared resources.
    private var lastCanvas: Int32 = 0

    /// The page's only instance; nil before `vitrine_open` and after `vitrine_close`. The page calls from one thread.
    nonisolated(unsafe) package internal(set) static var current: Page?

    /// Uses the device that the page has opened.
    init() throws(PageError) {
        do throws(GPUError) {
            device = try GPUDevice.make(optional: [.float32Filterable])
        } catch {
            throw PageError(error.description)
        }
        do throws(RenderError) {
            renderer = try Renderer(device: device)
        } catch {
            throw PageError(error.description)
        }
        // Uploaded materials are shared by all viewers, and so is the function for their warnings.
        renderer.onWarning = { [unowned(unsafe) self] in Self.warn(lastCanvas, $0) }
    }

    /// Adds a canvas that `make` creates with a new number.
    ///
    /// - Returns: The number.
    package func addCanvas(_ make: (Int32) throws(PageError) -> any PageCanvas) throws(PageError) -> Int32 {
        lastNumber += 1
        canvases[lastNumber] = try make(lastNumber)
        return lastNumber
    }

    func removeCanvas(_ number: Int32) {
        canvases[number] = nil
        renderer.purge()
    }

    /// Returns the canvas with this number; nil if it was removed.
    static func canvas(_ number: Int32) -> (any PageCanvas)? {
        current?.lastCanvas = number
        return current?.canvases[number]
    }

    /// Returns the viewer with this number; nil if it was removed, or is a canvas of another kind.
    static func viewer(_ number: Int32) -> PageViewer? { canvas(number)?.viewer }

    /// Returns the texture of a canvas for this frame; nil if there is none.
    package func canvasTexture(
        of number: Int32, width: Int, height: Int, format: GPUTextureFormat
    ) throws(PageError) -> GPUTextureView? {
        let texture = vitrine_page_canvas_texture(number)
        guard texture != 0,
            let canvas = GPUTexture(
                device: device, number: UInt(texture),
                descriptor: GPUTextureDescriptor("canvas", size: GPUExtent(width, height), format: format, usage: [.renderAttachment]))
        else { return nil }
        do throws(GPUError) { return try canvas.makeView() } catch { throw PageError(error.description) }
    }

    /// Shows a warning of a canvas.
    package static func warn(_ number: Int32, _ text: String) {
        var text = text
        text.withUTF8 { vitrine_page_warn(number, $0.baseAddress, $0.count) }
    }

    /// Requests a frame of a canvas in which something has changed.
    package static func setNeedsDisplay(_ number: Int32) { current?.canvases[number]?.setNeedsDisplay() }

    /// Requests a frame of a canvas from the page.
    package static func requestFrame(_ number: Int32) { vitrine_page_needs_frame(number) }

    package static func putNumber(_ value: Double) { vitrine_page_put_number(value) }
    package static func putNumber(_ value: Float) { vitrine_page_put_number(Double(value)) }
    package static func putNumber(_ value: Int) { vitrine_page_put_number(Double(value)) }

    package static func putText(_ text: String) {
        var text = text
        text.withUTF8 { vitrine_page_put_text($0.baseAddress, $0.count) }
    }

    static func putTexts(_ texts: [String]) {
        putNumber(texts.count)
        for text in texts { putText(text) }
    }

    /// Copies bytes from the page.
    package static func bytes(_ source: UInt32, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            vitrine_page_copy_bytes(source, buffer.baseAddress, count)
            initialized = count
        }
    }
}

/// An error with a message for the page.
package struct PageError: Error {
    package let text: String
    /// The glTF extension that a model requires and that is not supported.
    let unsupportedExtension: String?

    package init(_ text: String) { self.init(text, unsupportedExtension: nil) }
    init(_ text: String, unsupportedExtension: String?) { (self.text, self.unsupportedExtension) = (text, unsupportedExtension) }
}

extension PageError {
    /// Converts errors of rendering functions.
    static func rendering<Result>(_ body: () throws(RenderError) -> Result) throws(PageError) -> Result {
        do throws(RenderError) { return try body() } catch { throw PageError(error.description) }
    }
}
