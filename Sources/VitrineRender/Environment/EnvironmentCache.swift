import VitrineGPU
import VitrineScene

/// A scene's environment on the GPU.
struct EnvironmentLight {
    let map: EnvironmentMap
    /// The visible background if it is another image.
    let sky: EnvironmentMap?
    /// Whether `map` emits light.
    let isLit: Bool
    let hasSky: Bool
}

/// Prefiltered environments by image.
final class EnvironmentCache {
    private final class Entry {
        var image: Image
        let map: EnvironmentMap
        /// Made when shadows first need them.
        var shadowLights: EnvironmentShadowLights?
        /// Of the last still, and their number.
        var surfaceLights: (count: Int, lights: EnvironmentShadowLights)?
        init(_ image: Image, _ map: EnvironmentMap) { (self.image, self.map) = (image, map) }
    }

    private let device: GPUDevice
    private let black: EnvironmentMap
    private var prefilter: EnvironmentPrefilter?
    private var lights: [ObjectIdentifier: Entry] = [:]
    private var skies: [ObjectIdentifier: Entry] = [:]
    /// Environments in preparation, slice by slice.
    private var preparations: [ObjectIdentifier: Preparation] = [:]
    /// Images that another thread has read.
    private var sources: [ObjectIdentifier: EnvironmentSource] = [:]

    private struct Preparation {
        /// Retained, because it is identified by its address.
        let image: Image
        let isSky: Bool
        let work: EnvironmentPreparation
    }

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        black = try EnvironmentMap.black(on: device)
    }

    var memory: Int {
        var sum = 0
        for entry in lights.values { sum += entry.map.memoryBytes }
        for entry in skies.values { sum += entry.map.memoryBytes }
        return sum
    }

    func light(of environment: Environment) throws(RenderError) -> EnvironmentLight {
        var map = black
        if let image = environment.image { map = try self.map(image, isSky: false) }
        var sky: EnvironmentMap?
        var hasSky = false
        switch environment.background {
        case .transparent, .color: break
        case .environment: hasSky = environment.image != nil
        case .image(let image):
            hasSky = true
            if image !== environment.image { sky = try self.map(image, isSky: environment.backgroundBlur <= 0) }
        }
        return EnvironmentLight(map: map, sky: sky, isLit: environment.image != nil, hasSky: hasSky)
    }

    /// The directional lights of an environment's shadows; its map must be prepared.
    func shadowLights(of image: Image) -> EnvironmentShadowLights {
        let entry = lights[ObjectIdentifier(image)]
        if let known = entry?.shadowLights { return known }
        let made = EnvironmentShadowLights(image.unrolledCube() ?? image, count: FrameShadows.environmentLightCount, of: .upperHalf)
        entry?.shadowLights = made
        return made
    }

    /// The directional lights of an environment's shadows on surfaces; its map must be prepared.
    ///
    /// - Parameter count: The number of lights in all frames of a still.
    func surfaceLights(of image: Image, count: Int) -> EnvironmentShadowLights {
        let entry = lights[ObjectIdentifier(image)]
        if let known = entry?.surfaceLights, known.count == count { return known.lights }
        let made = EnvironmentShadowLights(image.unrolledCube() ?? image, count: count, of: .sphere)
        entry?.surfaceLights = (count, made)
        return made
    }

    /// Adds an image that was read on another thread.
    func adopt(_ source: EnvironmentSource) { sources[ObjectIdentifier(source.original)] = source }

    /// The completed share of the work of `light(of:)`, 0…1.
    func fraction(of environment: Environment) -> Double {
        let all = images(of: environment)
        guard !all.isEmpty else { return 1 }
        let sum = all.reduce(0.0) { sum, entry in
            if known(entry.image, isSky: entry.isSky) != nil { return sum + 1 }
            return sum + (preparations[ObjectIdentifier(entry.image)]?.work.fraction ?? 0)
        }
        return sum / Double(all.count)
    }

    /// Performs a slice of the work of `light(of:)`.
    ///
    /// - Returns: The completed share of the work, 0…1.
    func advance(_ environment: Environment) throws(RenderError) -> Double {
        guard let next = images(of: environment).first(where: { known($0.image, isSky: $0.isSky) == nil }) else { return 1 }
        let work = try preparation(next.image, isSky: next.isSky)
        do throws(RenderError) {
            if let map = try work.advance() { keep(map, of: next.image, isSky: next.isSky) }
        } catch {
            preparations[ObjectIdentifier(next.image)] = nil
            throw error
        }
        return fraction(of: environment)
    }

    private func images(of environment: Environment) -> [(image: Image, isSky: Bool)] {
        var images: [(image: Image, isSky: Bool)] = []
        if let image = environment.image { images.append((image, false)) }
        if case .image(let image) = environment.background, image !== environment.image {
            images.append((image, environment.backgroundBlur <= 0))
        }
        return images
    }

    func purge() {
        (preparations, sources) = ([:], [:])
        for id in Array(lights.keys) { if let entry = lights[id], isKnownUniquelyReferenced(&entry.image) { lights[id] = nil } }
        for id in Array(skies.keys) { if let entry = skies[id], isKnownUniquelyReferenced(&entry.image) { skies[id] = nil } }
    }

    /// A map with light also serves as the sky.
    private func known(_ image: Image, isSky: Bool) -> EnvironmentMap? {
        lights[ObjectIdentifier(image)]?.map ?? (isSky ? skies[ObjectIdentifier(image)]?.map : nil)
    }

    private func map(_ image: Image, isSky: Bool) throws(RenderError) -> EnvironmentMap {
        if let known = known(image, isSky: isSky) { return known }
        let work = try preparation(image, isSky: isSky)
        do throws(RenderError) {
            let made = try work.finish()
            keep(made, of: image, isSky: isSky)
            return made
        } catch {
            preparations[ObjectIdentifier(image)] = nil
            throw error
        }
    }

    private func keep(_ map: EnvironmentMap, of image: Image, isSky: Bool) {
        let id = ObjectIdentifier(image)
        if isSky { skies[id] = Entry(image, map) } else { lights[id] = Entry(image, map) }
        (preparations[id], sources[id]) = (nil, nil)
    }

    /// The preparation in progress, or a new one.
    private func preparation(_ image: Image, isSky: Bool) throws(RenderError) -> EnvironmentPreparation {
        if let begun = preparations[ObjectIdentifier(image)], begun.isSky == isSky { return begun.work }
        let made = EnvironmentPreparation(try compiled(), image, isSky: isSky, source: sources[ObjectIdentifier(image)])
        preparations[ObjectIdentifier(image)] = Preparation(image: image, isSky: isSky, work: made)
        return made
    }

    /// The shaders to compile before an environment can be prepared; nil if there are none.
    func pendingShaders(of environment: Environment) -> ShaderWork? {
        guard prefilter == nil, fraction(of: environment) < 1 else { return nil }
        return ShaderWork(task: .prefilter(device))
    }

    func take(_ made: EnvironmentPrefilter) { if prefilter == nil { prefilter = made } }

    private func compiled() throws(RenderError) -> EnvironmentPrefilter {
        if let prefilter { return prefilter }
        let made = try attempting("preparing environments") { () throws(GPUError) in try EnvironmentPrefilter(device: device) }
        prefilter = made
        return made
    }
}
