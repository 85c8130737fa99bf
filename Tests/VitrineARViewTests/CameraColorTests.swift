import Testing
import VitrineGPU
import VitrineTestSupport
import VitrineVision

@testable import VitrineARView

/// Conversion from Y′CbCr to colours, tested with bars whose levels are computed by the inverse conversion.
@Suite struct CameraColorTests {
    private static let bars: [Vector3] = [
        [1, 1, 1], [1, 1, 0], [0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.5],
        [0.1, 0.6, 0.3], [0.9, 0.8, 0.05],
    ]
    private static let kinds = CapturedImage.Matrix.allCases.flatMap { matrix in CapturedImage.Range.allCases.map { (matrix, $0) } }

    /// The conversion of the standards: Y by weights, differences scaled to ±½, then to levels.
    private static func levels(_ c: Vector3, _ matrix: CapturedImage.Matrix, _ range: CapturedImage.Range) -> (UInt8, UInt8, UInt8) {
        let (kr, kb): (Float, Float) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let y = kr * c.x + (1 - kr - kb) * c.y + kb * c.z
        let (cb, cr) = ((c.z - y) / (2 - 2 * kb), (c.x - y) / (2 - 2 * kr))
        func level(_ value: Float) -> UInt8 { UInt8(clamp(value.rounded(), 0, 255)) }
        if range == .full { return (level(255 * y), level(128 + 255 * cb), level(128 + 255 * cr)) }
        return (level(16 + 219 * y), level(128 + 224 * cb), level(128 + 224 * cr))
    }

    /// Bars of 8 × 8 pixels side by side.
    private static func frame(_ matrix: CapturedImage.Matrix, _ range: CapturedImage.Range) -> ARFrame {
        var luma = Plane<UInt8>(width: bars.count * 8, height: 8, repeating: 0)
        var chroma = [UInt8](repeating: 0, count: 2 * bars.count * 4 * 4)
        for (bar, color) in bars.enumerated() {
            let (y, cb, cr) = levels(color, matrix, range)
            for pixel in 0..<64 { luma[bar * 8 + pixel % 8, pixel / 8] = y }
            for pixel in 0..<16 {
                let at = 2 * ((pixel / 4) * bars.count * 4 + bar * 4 + pixel % 4)
                (chroma[at], chroma[at + 1]) = (cb, cr)
            }
        }
        let image = CapturedImage(luma: luma, chroma: chroma, matrix: matrix, range: range)
        return ARFrame(
            timestamp: 0, capturedImage: image,
            camera: ARCamera(model: CameraIntrinsics(width: luma.width, height: 8, verticalFieldOfView: 1)))
    }

    @Test(arguments: kinds) func conversionInvertsTheStandard(matrix: CapturedImage.Matrix, range: CapturedImage.Range) {
        let conversion = YCbCrConversion(matrix, range)
        for color in Self.bars {
            let (y, cb, cr) = Self.levels(color, matrix, range)
            #expect(length(conversion.color(y: y, cb: cb, cr: cr) - color) < 0.012)
        }
        #expect(conversion.color(y: range == .full ? 255 : 235, cb: 128, cr: 128) == Vector3(1, 1, 1))
        #expect(length(conversion.color(y: range == .full ? 0 : 16, cb: 128, cr: 128)) < 1e-6)
    }

    @Test(arguments: kinds) func barsInEncodedAndLinearLight(matrix: CapturedImage.Matrix, range: CapturedImage.Range) throws {
        let device = try GPUDevice.make()
        let background = try CameraBackground(device)
        let frame = Self.frame(matrix, range)
        let (width, height) = (Self.bars.count * 8, 8)
        let shown = try OffscreenTarget(device, width: width, height: height)
        try background.draw(frame, to: shown.view)
        let light = try OffscreenTarget(device, width: width, height: height, content: .radiance)
        try background.draw(frame, to: light.view)
        let (encoded, linear) = (try shown.image(), try light.image())
        for (bar, color) in Self.bars.enumerated() {
            let (y, cb, cr) = Self.levels(color, matrix, range)
            let expected = YCbCrConversion(matrix, range).color(y: y, cb: cb, cr: cr)
            let x = bar * 8 + 4
            let seen = encoded.levels(x, 4)
            for channel in 0..<3 {
                #expect(abs(Float(seen[channel]) - expected[channel] * 255) < 1.01, "bar \(bar)")
                let value = linear.bytes.withUnsafeBytes {
                    $0.loadUnaligned(fromByteOffset: ((4 * width + x) * 4 + channel) * 4, as: Float.self)
                }
                #expect(abs(value - linearFromSRGB(expected[channel])) < 0.003, "bar \(bar)")
            }
        }
    }

    /// sRGB targets encode in hardware and give the same levels.
    @Test func encodedTargetsAgree() throws {
        let device = try GPUDevice.make()
        let background = try CameraBackground(device)
        let frame = Self.frame(.bt709, .video)
        func drawn(_ format: GPUTextureFormat) throws -> [UInt8] {
            let texture = try device.makeTexture(
                GPUTextureDescriptor(
                    "shown", size: GPUExtent(Self.bars.count * 8, 8), format: format, usage: [.renderAttachment, .copySource]))
            try background.draw(frame, to: texture.makeView())
            return try texture.read()
        }
        let (plain, encoded) = (try drawn(.rgba8Unorm), try drawn(.rgba8UnormSRGB))
        #expect(zip(plain, encoded).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    /// Monochrome images have no chroma; images of odd size end within a chroma texel.
    @Test func monochromeAndOddImages() throws {
        let device = try GPUDevice.make()
        let background = try CameraBackground(device)
        var luma = Plane<UInt8>(width: 7, height: 5, repeating: 0)
        for index in 0..<35 { luma.values[index] = UInt8(index * 7) }
        let camera = ARCamera(model: CameraIntrinsics(width: 7, height: 5, verticalFieldOfView: 1))
        let target = try OffscreenTarget(device, width: 7, height: 5)
        try background.draw(ARFrame(timestamp: 0, capturedImage: CapturedImage(luma: luma), camera: camera), to: target.view)
        let grey = try target.image()
        for index in 0..<35 { #expect(grey.levels(index % 7, index / 7) == SIMD3(repeating: index * 7)) }
        // A column of red at the end of the chroma plane reaches the last, odd column only.
        var chroma = [UInt8](repeating: 128, count: 2 * 4 * 3)
        for row in 0..<3 { chroma[(row * 4 + 3) * 2 + 1] = 255 }
        let red = CapturedImage(luma: Plane(width: 7, height: 5, repeating: 100), chroma: chroma)
        try background.draw(ARFrame(timestamp: 0, capturedImage: red, camera: camera), to: target.view)
        let image = try target.image()
        #expect(image.levels(6, 2).x - image.levels(6, 2).y > 200)
        #expect(image.levels(4, 2).x - image.levels(4, 2).y < 90)
        #expect(image.levels(3, 2) == SIMD3(repeating: 100))
    }
}
