import CVitrineWeb
import VitrineGPU
import VitrineRender
import VitrineScene

/// What the viewers of a page share: one device, and everything that was uploaded and compiled.
final class Page {
    let device: GPUDevice
    /// Owns the shared resources; draws nothing itself.
    let renderer: Renderer
    private var viewers: [Int32: PageViewer] = [:]
    private var lastNumber: Int32 = 0

    /// The page's only instance; nil before `vitrine_open` and after `vitrine_close`. The page calls from one thread.
    nonisolated(unsafe) static var current: Page?

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
    }

    func makeViewer(format: GPUTextureFormat) throws(PageError) -> Int32 {
        lastNumber += 1
        viewers[lastNumber] = try PageViewer(self, number: lastNumber, format: format)
        return lastNumber
    }

    func removeViewer(_ number: Int32) {
        viewers[number] = nil
        renderer.purge()
    }

    /// The viewer with this number; nil if it was removed.
    static func viewer(_ number: Int32) -> PageViewer? { current?.viewers[number] }

    static func putNumber(_ value: Double) { vitrine_page_put_number(value) }
    static func putNumber(_ value: Float) { vitrine_page_put_number(Double(value)) }
    static func putNumber(_ value: Int) { vitrine_page_put_number(Double(value)) }

    static func putText(_ text: String) {
        var text = text
        text.withUTF8 { vitrine_page_put_text($0.baseAddress, $0.count) }
    }

    static func putTexts(_ texts: [String]) {
        putNumber(texts.count)
        for text in texts { putText(text) }
    }

    /// Copies bytes that the page offers.
    static func bytes(_ source: UInt32, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            vitrine_page_copy_bytes(source, buffer.baseAddress, count)
            initialized = count
        }
    }
}

/// An error with a message for the page.
struct PageError: Error {
    let text: String
    /// The extension of glTF that a model requires and that has no reader.
    let unsupportedExtension: String?

    init(_ text: String, unsupportedExtension: String? = nil) { (self.text, self.unsupportedExtension) = (text, unsupportedExtension) }
}

extension PageError {
    /// Converts the error of a renderer's function.
    static func rendering<Result>(_ body: () throws(RenderError) -> Result) throws(PageError) -> Result {
        do throws(RenderError) { return try body() } catch { throw PageError(error.description) }
    }
}
