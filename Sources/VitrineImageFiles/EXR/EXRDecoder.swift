import CCodecs
import VitrineMath
import VitrineScene

extension ImageFile {
    static func headerOfEXR(_ bytes: [UInt8], name: String) throws(ImageFileError) -> Header {
        let display = try EXRHeader(bytes, name: name).first.display
        return Header(kind: .exr, width: display.width, height: display.height, format: .rgba32Float)
    }

    static func decodeEXR(_ bytes: [UInt8], name: String, limits: ImageLimits) throws(ImageFileError) -> Image {
        try EXRDecoder(bytes, name: name, limits: limits).decode()
    }
}

/// Decodes the first part of an OpenEXR file to straight RGBA floats with Rec. 709 primaries over the display window.
///
/// Pixels outside the data window are transparent black if the file has alpha, otherwise opaque black.
private struct EXRDecoder {
    let bytes: [UInt8]
    let name: String
    let part: EXRHeader.Part
    let data, display: EXRHeader.Window

    init(_ bytes: [UInt8], name: String, limits: ImageLimits) throws(ImageFileError) {
        let header = try EXRHeader(bytes, name: name)
        (part, data, display) = try header.first
        (self.bytes, self.name) = (bytes, name)
        // The library reads the tables of all parts, so all are checked.
        for part in header.parts { try Self.check(part, limits: limits, name: name) }
    }

    private static func check(_ part: EXRHeader.Part, limits: ImageLimits, name: String) throws(ImageFileError) {
        guard let data = part.dataWindow, let display = part.displayWindow else { return }
        try limits.check(width: data.width, height: data.height, format: .rgba32Float, name: name)
        try limits.check(width: display.width, height: display.height, format: .rgba32Float, name: name)
        // The library decodes up to 256 lines, or one row of tiles, of all channels at a time.
        let bytesPerPixel = part.channels.reduce(0) { $0 + $1.bytesPerSample }
        var (width, lines) = (data.width, 256)
        if let tile = part.tileSize {
            guard tile.width <= limits.maximumSide, tile.height <= limits.maximumSide else {
                throw ImageFileError(file: name, reason: .tooLarge("tiles of \(tile.width) × \(tile.height) pixels"))
            }
            (width, lines) = (data.width + tile.width, tile.height)
        }
        let (work, overflow) = (width * lines).multipliedReportingOverflow(by: bytesPerPixel)
        guard !overflow, work <= limits.maximumBytes else {
            throw ImageFileError(file: name, reason: .tooLarge("\(part.channels.count) channels over \(width) × \(lines) pixels at a time"))
        }
    }

    func decode() throws(ImageFileError) -> Image {
        var pixels = try readPixels()
        if has("A") { unpremultiply(&pixels) }
        if let rec709FromFile = try EXRColour(part, name: name).rec709FromFile { apply(rec709FromFile, to: &pixels) }
        let fitted = try fittedToDisplayWindow(pixels)
        let header = ImageFile.Header(kind: .exr, width: display.width, height: display.height, format: .rgba32Float)
        return try ImageFile.image(header, bytes: fitted.withUnsafeBytes { [UInt8]($0) }, name: name)
    }

    private func readPixels() throws(ImageFileError) -> [Float] {
        if has("R") || has("G") || has("B") { return try readColours() }
        if has("Y") { return has("RY") || has("BY") ? try readLuminanceAndChroma() : try readGrey("Y") }
        if part.channels.count == 1, !has("A") { return try readGrey(part.channels[0].name) }
        let names = part.channels.prefix(16).map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw failure(.unsupported("the channels \(names) contain no colour"))
    }

    private func has(_ channel: String) -> Bool { part.channels.contains { $0.name == channel } }

    private func failure(_ reason: ImageFileError.Reason) -> ImageFileError { ImageFileError(file: name, reason: reason) }

    // MARK: Reading

    /// A channel and the position of its samples, counted in floats.
    private struct Plane {
        var channel: String
        var offset: Int
        var stride = 4
        var rowStride: Int
        var sampling = 1
        var fill: Float = 0
    }

    private var pixelCount: Int { data.width * data.height }

    /// Returns a plane of the RGBA pixels.
    private func plane(_ channel: String, at offset: Int, fill: Float = 0) -> Plane {
        Plane(channel: channel, offset: offset, rowStride: 4 * data.width, fill: fill)
    }

    private func read(_ planes: [Plane], count: Int) throws(ImageFileError) -> [Float] {
        for plane in planes {
            guard let channel = part.channels.first(where: { $0.name == plane.channel }) else { continue }
            guard channel.xSampling == plane.sampling, channel.ySampling == plane.sampling else {
                let sampling = "\(channel.xSampling) × \(channel.ySampling)"
                throw failure(.unsupported("channel \"\(plane.channel)\" is sampled every \(sampling) pixels"))
            }
        }
        var error = vitrine_codec_error()
        let floats = [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
            let names = planes.flatMap { $0.channel.utf8CString }
            names.withUnsafeBufferPointer { names in
                var name = names.baseAddress!
                let slices = planes.map { plane in
                    defer { name += plane.channel.utf8.count + 1 }
                    return vitrine_exr_slice(
                        channel: name, first: buffer.baseAddress! + plane.offset, x_stride: 4 * plane.stride, y_stride: 4 * plane.rowStride,
                        x_sampling: Int32(plane.sampling), y_sampling: Int32(plane.sampling), fill: plane.fill)
                }
                let window = [data.minX, data.minY, data.maxX, data.maxY].map { Int32($0) }
                initialized = vitrine_exr_decode(bytes, bytes.count, window, slices, slices.count, &error) == 1 ? count : 0
            }
        }
        guard floats.count == count else { throw ImageFileError(error, file: name) }
        return floats
    }

    private func readColours() throws(ImageFileError) -> [Float] {
        try read([plane("R", at: 0), plane("G", at: 1), plane("B", at: 2), plane("A", at: 3, fill: 1)], count: 4 * pixelCount)
    }

    private func readGrey(_ channel: String) throws(ImageFileError) -> [Float] {
        var pixels = try read([plane(channel, at: 0), plane("A", at: 3, fill: 1)], count: 4 * pixelCount)
        for index in stride(from: 0, to: pixels.count, by: 4) { (pixels[index + 1], pixels[index + 2]) = (pixels[index], pixels[index]) }
        return pixels
    }

    /// RY = (R - Y) / Y and BY = (B - Y) / Y, usually at every second pixel of every second row; interpolated bilinearly.
    private func readLuminanceAndChroma() throws(ImageFileError) -> [Float] {
        let sampling = part.channels.first { $0.name == "RY" || $0.name == "BY" }?.xSampling ?? 1
        guard data.width.isMultiple(of: sampling), data.height.isMultiple(of: sampling) else {
            throw failure(.malformed("chroma is sampled every \(sampling) pixels in an image of \(data.width) × \(data.height)"))
        }
        let (width, height) = (data.width / sampling, data.height / sampling)
        let (red, blue) = (4 * pixelCount, 4 * pixelCount + width * height)
        var pixels = try read(
            [
                plane("Y", at: 0), plane("A", at: 3, fill: 1),
                Plane(channel: "RY", offset: red, stride: 1, rowStride: width, sampling: sampling),
                Plane(channel: "BY", offset: blue, stride: 1, rowStride: width, sampling: sampling),
            ], count: blue + width * height)
        let weights = try EXRColour(part, name: name).luminanceWeights
        for y in 0..<data.height {
            let (top, bottom) = (y / sampling * width, min(y / sampling + 1, height - 1) * width)
            let down = Float(y % sampling) / Float(sampling)
            for x in 0..<data.width {
                let (left, right) = (x / sampling, min(x / sampling + 1, width - 1))
                let across = Float(x % sampling) / Float(sampling)
                func chroma(_ plane: Int) -> Float {
                    let upper = pixels[plane + top + left] * (1 - across) + pixels[plane + top + right] * across
                    let lower = pixels[plane + bottom + left] * (1 - across) + pixels[plane + bottom + right] * across
                    return upper * (1 - down) + lower * down
                }
                let pixel = 4 * (y * data.width + x)
                let luminance = pixels[pixel]
                let (r, b) = ((chroma(red) + 1) * luminance, (chroma(blue) + 1) * luminance)
                pixels[pixel] = r
                pixels[pixel + 1] = (luminance - r * weights.x - b * weights.z) / weights.y
                pixels[pixel + 2] = b
            }
        }
        pixels.removeLast(2 * width * height)
        return pixels
    }

    // MARK: Conversion to the conventions of images

    /// Converts premultiplied colours to straight ones. Emission without coverage (alpha 0) does not change, because straight alpha cannot represent it.
    private func unpremultiply(_ pixels: inout [Float]) {
        for index in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = pixels[index + 3]
            guard alpha > 0, alpha != 1 else { continue }
            for channel in index..<(index + 3) { pixels[channel] /= alpha }
        }
    }

    private func apply(_ matrix: Matrix3, to pixels: inout [Float]) {
        for index in stride(from: 0, to: pixels.count, by: 4) {
            let colour = matrix * Vector3(pixels[index], pixels[index + 1], pixels[index + 2])
            (pixels[index], pixels[index + 1], pixels[index + 2]) = (colour.x, colour.y, colour.z)
        }
    }

    private func fittedToDisplayWindow(_ pixels: [Float]) throws(ImageFileError) -> [Float] {
        guard data != display else { return pixels }
        let columns = max(data.minX, display.minX)..<(min(data.maxX, display.maxX) + 1).clamped(above: max(data.minX, display.minX))
        let rows = max(data.minY, display.minY)..<(min(data.maxY, display.maxY) + 1).clamped(above: max(data.minY, display.minY))
        guard !columns.isEmpty, !rows.isEmpty else { throw failure(.malformed("the data window lies outside the display window")) }
        let outside: [Float] = has("A") ? [0, 0, 0, 0] : [0, 0, 0, 1]
        var fitted = [Float](unsafeUninitializedCapacity: 4 * display.width * display.height) { buffer, initialized in
            for index in buffer.indices { buffer.initializeElement(at: index, to: outside[index & 3]) }
            initialized = buffer.count
        }
        for y in rows {
            let from = 4 * ((y - data.minY) * data.width + columns.lowerBound - data.minX)
            let to = 4 * ((y - display.minY) * display.width + columns.lowerBound - display.minX)
            fitted.replaceSubrange(to..<(to + 4 * columns.count), with: pixels[from..<(from + 4 * columns.count)])
        }
        return fitted
    }
}

extension Int {
    fileprivate func clamped(above lowest: Int) -> Int { Swift.max(self, lowest) }
}
