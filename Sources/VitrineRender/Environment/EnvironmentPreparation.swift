import VitrineGPU
import VitrineScene

/// Prepares an environment on the GPU in slices of work that fit between two frames.
///
/// The result does not depend on the slicing.
final class EnvironmentPreparation {
    private enum Step {
        case read
        case upload(rows: Range<Int>)
        case project(face: Int, rows: Range<Int>)
        case halve
        case filter(level: Int, face: Int, rows: Range<Int>)
        case irradiate
    }

    /// Bytes copied in a slice.
    private static let uploadBytes = 4 << 20
    /// The number of texel reads in a slice: about 2 ms on a GPU with 2·10⁹ reads per second.
    private static let reads = 4 << 20

    private let prefilter: EnvironmentPrefilter
    private let image: Image
    private let isSky: Bool
    private let options: EnvironmentPrefilter.Options
    private var source: EnvironmentSource?
    private var parts: EnvironmentPrefilter.Parts?
    private var steps: [Step] = [.read]
    private var done = 0

    /// Begins to prepare an environment.
    ///
    /// - Parameters:
    ///   - isSky: Whether the environment is only a background, without light.
    ///   - source: The image, if another thread has read it already.
    init(
        _ prefilter: EnvironmentPrefilter, _ image: Image, isSky: Bool = false, source: EnvironmentSource? = nil,
        options: EnvironmentPrefilter.Options = EnvironmentPrefilter.Options()
    ) {
        (self.prefilter, self.image, self.isSky, self.source, self.options) = (prefilter, image, isSky, source, options)
    }

    /// The share of the work that is done, 0…1.
    var fraction: Double { steps.count > 1 ? Double(done) / Double(steps.count) : 0 }

    /// Does the next slice.
    ///
    /// - Returns: The map after the last slice, otherwise nil.
    func advance() throws(RenderError) -> EnvironmentMap? {
        if done < steps.count {
            let step = steps[done]
            if case .read = step {
                try read()
            } else {
                do throws(GPUError) { try run(step) } catch { throw .gpu(error, doing: "preparing an environment") }
            }
            done += 1
        }
        guard done >= steps.count, let parts, let source else { return nil }
        do throws(GPUError) { return try prefilter.map(of: parts, source) } catch { throw .gpu(error, doing: "preparing an environment") }
    }

    /// The remaining work.
    func finish() throws(RenderError) -> EnvironmentMap {
        while true { if let map = try advance() { return map } }
    }

    private func read() throws(RenderError) {
        let source: EnvironmentSource
        if let known = self.source { source = known } else { source = try EnvironmentSource(image) }
        self.source = source
        let texture = try source.makeTexture(on: prefilter.device)
        do throws(GPUError) {
            parts = try prefilter.makeParts(source, texture, isSky: isSky, options)
        } catch {
            throw .gpu(error, doing: "preparing an environment")
        }
        plan(source)
    }

    private func plan(_ source: EnvironmentSource) {
        guard let parts else { return }
        let rowBytes = source.format.bytesPerRow(width: source.image.width)
        for rows in Self.slices(of: source.image.height, each: Self.uploadBytes / max(rowBytes, 1)) { steps.append(.upload(rows: rows)) }
        let size = parts.specular.width
        // Each texel of a cube reads four texels of the image, or more near the poles.
        for face in 0..<6 {
            for rows in Self.slices(of: size, each: Self.reads / (size * 8)) { steps.append(.project(face: face, rows: rows)) }
        }
        guard !isSky else { return }
        steps.append(.halve)
        for level in 1..<parts.specular.mipLevelCount {
            let size = parts.specular.size(ofMipLevel: level).width
            let roughness = EnvironmentMap.roughness(
                ofLevel: level, levelCount: parts.specular.mipLevelCount, faceSize: parts.specular.width)
            let samples = options.sampleCount(roughness: roughness) + source.spots.spots.count / 4
            for face in 0..<6 {
                for rows in Self.slices(of: size, each: Self.reads / (size * samples)) {
                    steps.append(.filter(level: level, face: face, rows: rows))
                }
            }
        }
        steps.append(.irradiate)
    }

    /// Runs of rows, whole workgroups of eight.
    private static func slices(of count: Int, each: Int) -> [Range<Int>] {
        let step = max(each / 8 * 8, 8)
        return stride(from: 0, to: count, by: step).map { $0..<min($0 + step, count) }
    }

    private func run(_ step: Step) throws(GPUError) {
        guard let parts, let source else { return }
        switch step {
        case .read: break
        case .upload(let rows): source.upload(rows, to: parts.image)
        case .project(let face, let rows):
            try prefilter.submit { (pass) throws(GPUError) in try prefilter.project(parts, source, face: face, rows: rows, pass) }
        case .halve: try prefilter.submit { (pass) throws(GPUError) in try prefilter.halve(parts, pass) }
        case .filter(let level, let face, let rows):
            try prefilter.submit { (pass) throws(GPUError) in
                try prefilter.filter(parts, source, level: level, face: face, rows: rows, options, pass)
            }
        case .irradiate: try prefilter.submit { (pass) throws(GPUError) in try prefilter.irradiate(parts, source, pass) }
        }
    }
}
