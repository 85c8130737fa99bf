import VitrineGeometry
import VitrineMath
import VitrineScene

/// The result of one sample of a pixel.
struct PathSample {
    /// Linear radiance, premultiplied by `alpha`.
    var radiance = Vector3(repeating: 0)
    /// 0 where the ray left the scene and the background is not part of the image.
    var alpha: Float = 1
    /// Whether a shadow receiver lies in front.
    var isCaught = false
    /// Irradiance on the receiver without obstacles.
    var irradiance: Float = 0
    /// The part of `irradiance` that obstacles block, times the opacity of the shadow.
    var blocked: Float = 0
    /// The albedo of the first surface, for a denoiser.
    var albedo = Vector3(repeating: 0)
    var normal = Vector3(repeating: 0)
}

/// The start of a path: at the camera, or after one surface.
struct PathStart {
    var origin, direction: Vector3
    /// The length of the first ray.
    var length = Float.infinity
    var throughput = Vector3(repeating: 1)
    /// The density of the direction at the surface; 0 for rays from the camera.
    var density: Float = 0
    var isFromSurface = false
    /// Whether the first ray hits lights that have a size.
    var seesLights = true
}

/// Unidirectional path tracing: light sources are sampled at every surface, and samples of lobes and light sources are combined by the power
/// heuristic (Veach 1997).
///
/// Unchecked Sendable: nothing writes the memory behind the pointers while the tracer, which keeps their owners, exists; each thread uses a copy
/// with a `stack` of its own.
struct Integrator: @unchecked Sendable {
    let scene: PathScene.Contents
    let hierarchy: WideHierarchy
    let camera: PathCamera
    /// The maximum number of surfaces that scatter a path. Surfaces that the alpha test skips do not count.
    let maximumBounces: Int
    let seed: UInt32
    let window: UnsafePointer<Float>
    /// The traversal stack of the thread.
    var stack: TraversalStack?

    /// The number of surfaces before Russian roulette may end a path.
    private static let certainBounces = 4

    func sample(x: Int, y: Int, index: Int) -> PathSample {
        var numbers = SampleSequence(x: x, y: y, sample: index, seed: seed)
        let offset = PixelWindow.offset(numbers.next2(), window)
        let pixel = Vector2(Float(x) + 0.5 + offset.x, Float(y) + 0.5 + offset.y)
        let ray = camera.ray(through: pixel, lens: numbers.next2())
        let start = PathStart(origin: ray.origin, direction: ray.direction, length: ray.length)
        // Seeds the stochastic alpha test, which uses one random number for each triangle and bounce.
        let passes =
            SampleSequence.hash(UInt32(truncatingIfNeeded: x) &* 0x9E37_79B1 ^ UInt32(truncatingIfNeeded: y) &* 0x85EB_CA77 ^ seed)
            ^ SampleSequence.hash(UInt32(truncatingIfNeeded: index))
        return trace(start, pixel, &numbers, passes)
    }

    /// Follows a path from the camera, or from a surface.
    ///
    /// - Parameter pixel: The position in pixels, for paths from the camera.
    private func trace(_ start: PathStart, _ pixel: Vector2, _ numbers: inout SampleSequence, _ passes: UInt32) -> PathSample {
        var result = PathSample()
        var (origin, direction) = (start.origin, start.direction)
        var (near, far) = (Float(0), start.length)
        var throughput = start.throughput
        var density = start.density
        var channel: Int?
        var fading = Vector3(repeating: 0)
        // The point to which the densities of light sources refer: the path's start or its last surface.
        var lastPosition = origin
        // Whether all surfaces of the path transmitted it: then it shows the visible background, not the environment map.
        var seesBackdrop = !start.isFromSurface
        var isSharp = !start.isFromSurface
        var seesLights = start.seesLights
        var bounce = start.isFromSurface ? 1 : 0
        while true {
            let isCamera = bounce == 0
            let hit = meet(origin, direction, near, far, isCamera: isCamera, bounce, passes)
            if !isCamera, scene.hasLightShapes, seesLights {
                let limit = hit.triangle >= 0 ? hit.distance : Float.infinity
                result.radiance += throughput * lightShapes(origin, direction, limit, from: lastPosition, density)
            }
            guard hit.triangle >= 0 else {
                if isCamera {
                    let background = camera.background(scene.environment, start.origin, direction, numbers.next2())
                    result.radiance += throughput * background.xyz
                    result.alpha = background.w
                } else if seesBackdrop, let backdrop = scene.environment.backdrop {
                    result.radiance += throughput * backdrop.radiance(scene.environment.inMap(direction)) * scene.environment.intensity
                } else if scene.environment.isLit {
                    let weight = density > 0 ? power(density, scene.environment.density(direction)) : 1
                    result.radiance += throughput * scene.environment.radiance(direction) * weight
                }
                break
            }
            if fading != Vector3(repeating: 0) {
                let f = fading * -hit.distance
                throughput *= Vector3(exp(f.x), exp(f.y), exp(f.z))
            }
            let triangle = scene.triangles[Int(hit.triangle)]
            let material = scene.materials + Int(scene.instances[Int(triangle.w)].material)
            if material.pointee.model == .shadowReceiver {
                // Only camera rays hit receivers.
                catchShadow(hit, triangle, direction, pixel, &result, &numbers)
                near = hit.distance * (1 + 1e-6) + scene.radius * 1e-6
                continue
            }
            let view = -direction
            if material.pointee.hasDispersion, channel == nil, material.pointee.hasVolume {
                let chosen = min(Int(numbers.next1() * 3), 2)
                channel = chosen
                var only = Vector3(repeating: 0)
                only[chosen] = 3
                throughput *= only
            }
            let s = scene.surface(hit, view: view, channel: channel)
            let scattering = Scattering(s, view: view, energy: scene.energy)
            if isCamera { (result.albedo, result.normal) = (scattering.albedo, s.normal) }
            if s.model == .constant {
                // Unlit colours do not light other surfaces.
                if isSharp { result.radiance += throughput * s.baseColor }
                break
            }
            if s.emission != Vector3(repeating: 0) {
                let weight = isCamera ? 1 : emissionWeight(hit, s, direction, from: lastPosition, density)
                result.radiance += throughput * s.emission * (scattering.emissionShare * weight)
            }
            if bounce >= maximumBounces { break }
            let categories = scene.instances[Int(triangle.w)].categories
            result.radiance += throughput * direct(s, scattering, categories, &numbers, skipsPassed: seesBackdrop)

            // Samples the next direction.
            let choice = numbers.next1()
            guard let next = scattering.sample(choice, numbers.next2()) else { break }
            let value = scattering.evaluate(next)
            guard value.density > 0, value.weight != Vector3(repeating: 0) else { break }
            throughput *= value.weight * (1 / value.density)
            let isPassed = dot(next, s.geometricNormal) < 0
            if isPassed, !s.isThin { fading = s.isFront ? material.pointee.attenuation : Vector3(repeating: 0) }
            seesBackdrop = seesBackdrop && isPassed
            isSharp = isSharp && (isPassed || s.roughness < 0.3) && (isPassed || value.density > 2)
            density = value.density
            lastPosition = s.position
            origin = lifted(s, along: next)
            direction = next
            (near, far) = (0, .infinity)
            seesLights = true
            bounce += 1
            if bounce >= Self.certainBounces {
                let chance = min(largest(throughput), 0.95)
                guard chance > 0, numbers.next1() < chance else { break }
                throughput *= 1 / chance
            }
        }
        if !(result.radiance.x.isFinite && result.radiance.y.isFinite && result.radiance.z.isFinite) {
            result.radiance = Vector3(repeating: 0)
        }
        return result
    }

    /// Returns the weight by the power heuristic of a sample of density `a`, which another technique samples with density `b`.
    @inline(__always) private func power(_ a: Float, _ b: Float) -> Float {
        let ratio = b / a
        return 1 / (1 + ratio * ratio)
    }

    /// The origin of a ray from a surface: offset to the side of the ray's direction, so that the ray does not hit the surface itself.
    @inline(__always) private func lifted(_ s: SurfacePoint, along direction: Vector3) -> Vector3 {
        let p = s.position
        let distance = (max(abs(p.x), max(abs(p.y), abs(p.z))) + scene.radius) * 2e-6
        return p + s.geometricNormal * (dot(direction, s.geometricNormal) < 0 ? -distance : distance)
    }

    // MARK: Surfaces that collect light

    /// The radiance of a white matte surface at a point: irradiance divided by π.
    ///
    /// - Parameters:
    ///   - outputs: The quantities to compute.
    ///   - patch: The index of the surface patch, which selects the random numbers.
    ///   - index: The index of the patch's sample.
    /// - Returns: nil if the point lies inside a body: a ray from it hits a back face.
    func collect(at point: CollectingPoint, _ outputs: LightCollector.Outputs, patch: Int, index: Int) -> CollectedSample? {
        var numbers = SampleSequence(x: patch, y: 0, sample: index, seed: seed)
        let normal = point.normal
        let tangent = anyPerpendicular(normal)
        var s = SurfacePoint(
            position: point.position, geometricNormal: point.geometricNormal, tangent: tangent, bitangent: cross(normal, tangent),
            normal: normal, coatNormal: normal, isFront: true)
        s.model = .lambert
        // Openness: tests whether a cosine-weighted random ray reaches the sky.
        let sky = s.world(Warp.cosine(numbers.next2()))
        var sample = CollectedSample()
        if dot(sky, s.geometricNormal) > 0 {
            let hit = meet(lifted(s, along: sky), sky, 0, .infinity, isCamera: false, 0, UInt32(truncatingIfNeeded: index))
            if hit.triangle >= 0 {
                let triangle = scene.triangles[Int(hit.triangle)]
                let material = scene.materials + Int(scene.instances[Int(triangle.w)].material)
                if !material.pointee.isDoubleSided, dot(scene.frontNormal(triangle), sky) > 0 { return nil }
            } else {
                sample.openness = 1
            }
        }
        guard outputs.contains(.light) else { return sample }
        let includesLights = outputs.contains(.directLight)
        let passes = SampleSequence.hash(UInt32(truncatingIfNeeded: patch) ^ seed) ^ SampleSequence.hash(UInt32(truncatingIfNeeded: index))
        let scattering = Scattering(s, view: normal, energy: scene.energy)
        sample.radiance = direct(s, scattering, point.categories, &numbers, skipsPassed: false, skipsLights: !includesLights)
        let direction = s.world(Warp.cosine(numbers.next2()))
        let density = dot(direction, normal) / .pi
        if density > 0, dot(direction, s.geometricNormal) > 0 {
            let start = PathStart(
                origin: lifted(s, along: direction), direction: direction, density: density, isFromSurface: true,
                seesLights: includesLights)
            sample.radiance += trace(start, Vector2(0, 0), &numbers, passes).radiance
        }
        return sample.radiance.isFinite ? sample : nil
    }

    // MARK: Rays

    /// The nearest surface that stops the ray.
    private func meet(
        _ origin: Vector3, _ direction: Vector3, _ near: Float, _ far: Float, isCamera: Bool, _ bounce: Int, _ passes: UInt32
    ) -> WideHierarchy.Hit {
        let scene = scene
        return hierarchy.nearest(TraversalRay(origin: origin, direction: direction), from: near, to: far, stack: stack.unsafelyUnwrapped) {
            triangle, _, u, v in
            let t = scene.triangles[Int(triangle)]
            let instance = scene.instances + Int(t.w)
            let m = scene.materials + Int(instance.pointee.material)
            if m.pointee.model == .shadowReceiver, !isCamera { return false }
            // The camera does not see back faces of single-sided surfaces, as in the real-time renderer. No ray hits back faces of thin glass.
            if !m.pointee.isDoubleSided, isCamera || (m.pointee.hasTransmission && !m.pointee.hasVolume),
                dot(scene.frontNormal(t), direction) > 0
            {
                return false
            }
            if m.pointee.model == .shadowReceiver { return true }
            guard m.pointee.alphaMode != .opaque || instance.pointee.opacity < 1 else { return true }
            let alpha = scene.alpha(t, u, v)
            if alpha >= 1 { return true }
            let chance = SampleSequence.unitFloat(
                SampleSequence.hash(SampleSequence.hash(passes ^ UInt32(bitPattern: triangle) &* 0x9E37_79B1) &+ UInt32(bounce)))
            return chance < alpha
        }
    }

    /// The share of light that arrives from a direction.
    ///
    /// - Parameter passesGlass: Whether transmissive surfaces transmit light without refraction, as they do for lights without a size, which paths
    ///   cannot hit behind glass.
    private func transmittance(
        _ origin: Vector3, _ direction: Vector3, _ distance: Float, passesGlass: Bool, isLight: Bool, categories: UInt32 = .max
    ) -> Vector3 {
        let scene = scene
        var left = Vector3(repeating: 1)
        var depth = Vector3(repeating: 0)
        let isBlocked = hierarchy.isBlocked(
            TraversalRay(origin: origin, direction: direction), from: 0, to: distance, stack: stack.unsafelyUnwrapped
        ) {
            triangle, reach, u, v in
            let t = scene.triangles[Int(triangle)]
            let instance = scene.instances + Int(t.w)
            let m = scene.materials + Int(instance.pointee.material)
            if m.pointee.model == .shadowReceiver { return false }
            if isLight, !instance.pointee.castsShadow || instance.pointee.categories & categories == 0 { return false }
            var alpha: Float = 1
            if m.pointee.alphaMode != .opaque || instance.pointee.opacity < 1 {
                alpha = scene.alpha(t, u, v)
                if alpha <= 0 { return false }
            }
            var passing = Vector3(repeating: 1 - alpha)
            if m.pointee.hasTransmission {
                let cosine = dot(unit(scene.frontNormal(t)), direction)
                if !m.pointee.hasVolume, !m.pointee.isDoubleSided, cosine > 0 { return false }
                if passesGlass {
                    let uv = scene.interpolated(scene.coordinates, t, u, v)
                    let color = m.pointee.baseColor.xyz * scene.texel(m.pointee.baseColorMap, uv).xyz
                    let share = saturate(scene.number(m.pointee.transmission, m.pointee.transmissionMap, uv))
                    let kept = share * (1 - Dielectric.fresnel(abs(cosine), m.pointee.ior)) * alpha
                    if m.pointee.hasVolume {
                        passing += Vector3(color.x.squareRoot(), color.y.squareRoot(), color.z.squareRoot()) * kept
                        depth += m.pointee.attenuation * (cosine > 0 ? reach : -reach)
                    } else {
                        passing += color * kept
                    }
                }
            }
            left *= passing
            return largest(left) < 1e-4
        }
        guard !isBlocked else { return Vector3(repeating: 0) }
        if depth != Vector3(repeating: 0) {
            left *= Vector3(exp(min(-depth.x, 0)), exp(min(-depth.y, 0)), exp(min(-depth.z, 0)))
        }
        return left
    }

    // MARK: Light sources

    /// Direct light from one sampled direction of the environment, one point of the emitting surfaces and one light.
    ///
    /// - Parameters:
    ///   - skipsPassed: Omits the environment behind the surface if the visible background is another image.
    ///   - skipsLights: Omits the lights.
    private func direct(
        _ s: SurfacePoint, _ scattering: Scattering, _ categories: UInt32, _ numbers: inout SampleSequence, skipsPassed: Bool,
        skipsLights: Bool = false
    ) -> Vector3 {
        var sum = Vector3(repeating: 0)
        let environment = scene.environment
        if environment.isLit {
            let light = environment.sample(numbers.next2())
            let isPassed = dot(light.direction, s.geometricNormal) < 0
            if light.density > 0, !(isPassed && (s.transmission == 0 || (skipsPassed && environment.backdrop != nil))) {
                let value = scattering.evaluate(light.direction)
                if value.weight != Vector3(repeating: 0) {
                    let share = transmittance(
                        lifted(s, along: light.direction), light.direction, .infinity, passesGlass: false, isLight: false)
                    if share != Vector3(repeating: 0) {
                        let weight = power(light.density, value.density) / light.density
                        sum += value.weight * environment.radiance(light.direction) * share * weight
                    }
                }
            }
        }
        if let emitters = scene.emitters { sum += emitted(emitters, s, scattering, &numbers) }
        guard scene.lightCount > 0, !skipsLights else { return sum }
        let choice = numbers.next1()
        let u = numbers.next2()
        guard let (index, probability) = chooseLight(s.position, choice) else { return sum }
        let light = scene.lights + index
        guard light.pointee.categories & categories != 0, let sample = light.pointee.sample(from: s.position, u) else { return sum }
        var value = scattering.evaluate(sample.direction)
        value.weight += scattering.highlight(sample.direction)
        guard value.weight != Vector3(repeating: 0) else { return sum }
        let share = transmittance(
            lifted(s, along: sample.direction), sample.direction, sample.distance * (1 - 1e-5), passesGlass: sample.density == 0,
            isLight: true,
            categories: light.pointee.categories)
        let weight = sample.density > 0 ? power(sample.density * probability, value.density) : 1
        return sum + value.weight * sample.light * share * (weight / probability)
    }

    /// Direct light from one sampled point of the emitting surfaces.
    private func emitted(
        _ emitters: UnsafePointer<EmissiveTriangles>, _ s: SurfacePoint, _ scattering: Scattering, _ numbers: inout SampleSequence
    ) -> Vector3 {
        let (choice, u) = (numbers.next2(), numbers.next2())
        let none = Vector3(repeating: 0)
        let chance = emitters.pointee.chance(at: s.position)
        guard choice.x < chance else { return none }
        let sample = emitters.pointee.sample(choice.y, u)
        let t = scene.triangles[Int(sample.triangle)]
        let position = scene.interpolated(scene.positions, t, sample.u, sample.v)
        let offset = position - s.position
        let squared = dot(offset, offset)
        guard squared > 0, sample.density > 0 else { return none }
        let direction = offset * (1 / squared.squareRoot())
        let cosine = abs(dot(unit(scene.frontNormal(t)), direction))
        guard cosine > 1e-6 else { return none }
        let value = scattering.evaluate(direction)
        guard value.weight != none else { return none }
        let radiance = emission(sample, t, direction)
        guard radiance != none else { return none }
        // The ray starts at the offset origin and still ends at the emitter: at grazing angles the offset would move its end.
        let origin = lifted(s, along: direction)
        let way = position - origin
        let length = dot(way, way).squareRoot()
        let share = transmittance(origin, way * (1 / length), length * (1 - 1e-4), passesGlass: false, isLight: false)
        let density = chance * sample.density * squared / cosine
        return value.weight * radiance * share * (power(density, value.density) / density)
    }

    /// Radiance that a sampled point emits along `-direction`.
    private func emission(_ sample: EmissiveTriangles.Sample, _ t: SIMD4<UInt32>, _ direction: Vector3) -> Vector3 {
        let instance = scene.instances[Int(t.w)]
        let m = scene.materials + Int(instance.material)
        var radiance = scene.emission(t, sample.u, sample.v)
        if m.pointee.alphaMode != .opaque || instance.opacity < 1 { radiance *= scene.alpha(t, sample.u, sample.v) }
        if m.pointee.hasCoat, radiance != Vector3(repeating: 0) {
            let hit = WideHierarchy.Hit(triangle: sample.triangle, distance: 0, u: sample.u, v: sample.v)
            let surface = scene.surface(hit, view: -direction, channel: nil)
            radiance *= Scattering(surface, view: -direction, energy: scene.energy).emissionShare
        }
        return radiance
    }

    /// The weight, by the power heuristic, of the emission of a surface that a ray sampled from a lobe hits.
    @inline(__always) private func emissionWeight(
        _ hit: WideHierarchy.Hit, _ s: SurfacePoint, _ direction: Vector3, from p: Vector3, _ density: Float
    ) -> Float {
        guard let emitters = scene.emitters, density > 0 else { return 1 }
        let offset = s.position - p
        let cosine = max(abs(dot(direction, s.geometricNormal)), 1e-6)
        let other = emitters.pointee.chance(at: p) * emitters.pointee.densities[Int(hit.triangle)] * dot(offset, offset) / cosine
        return power(density, other)
    }

    /// Chooses a light with a probability proportional to its irradiance without obstacles.
    private func chooseLight(_ p: Vector3, _ choice: Float) -> (index: Int, probability: Float)? {
        if scene.lightCount == 1 { return (0, 1) }
        var sum: Float = 0
        for index in 0..<scene.lightCount { sum += scene.lights[index].importance(p) }
        guard sum > 0 else { return nil }
        var left = choice * sum
        var last: (Int, Float)?
        for index in 0..<scene.lightCount {
            let importance = scene.lights[index].importance(p)
            guard importance > 0 else { continue }
            last = (index, importance / sum)
            left -= importance
            if left < 0 { break }
        }
        return last
    }

    /// Radiance of the lights with a size that a ray sampled from a lobe hits, weighted by the power heuristic.
    private func lightShapes(_ origin: Vector3, _ direction: Vector3, _ limit: Float, from p: Vector3, _ density: Float) -> Vector3 {
        var result = Vector3(repeating: 0)
        var sum: Float = -1
        for index in 0..<scene.lightCount {
            guard let met = scene.lights[index].meet(origin, direction, limit: limit) else { continue }
            if sum < 0 {
                sum = 0
                for other in 0..<scene.lightCount { sum += scene.lights[other].importance(p) }
            }
            let probability = scene.lightCount == 1 ? 1 : scene.lights[index].importance(p) / max(sum, 1e-20)
            result += met.radiance * power(density, met.density * probability)
        }
        return result
    }

    // MARK: Shadow receivers

    /// Computes the irradiance on a receiver and its blocked part, as the real-time shader's `caughtShadow`.
    private func catchShadow(
        _ hit: WideHierarchy.Hit, _ t: SIMD4<UInt32>, _ direction: Vector3, _ pixel: Vector2, _ result: inout PathSample,
        _ numbers: inout SampleSequence
    ) {
        guard !result.isCaught else { return }
        result.isCaught = true
        var normal = unit(scene.frontNormal(t))
        if dot(normal, direction) > 0 { normal = -normal }
        let position = scene.interpolated(scene.positions, t, hit.u, hit.v)
        var s = SurfacePoint(
            position: position, geometricNormal: normal, tangent: anyPerpendicular(normal), bitangent: normal, normal: normal,
            coatNormal: normal,
            isFront: true)
        s.bitangent = cross(normal, s.tangent)
        // Shadows fade out towards the edges of the image.
        let p = Vector2(pixel.x / Float(camera.width), pixel.y / Float(camera.height))
        let edge = min(min(p.x, 1 - p.x), min(p.y, 1 - p.y))
        let shown = scene.alpha(t, hit.u, hit.v) * smoothstep(Float(0), 0.15, edge)
        var (whole, blocked) = (Float(0), Float(0))
        func add(_ light: Float, _ direction: Vector3, _ distance: Float, isLight: Bool, _ categories: UInt32 = .max) {
            guard light > 0 else { return }
            let share = transmittance(
                lifted(s, along: direction), direction, distance, passesGlass: true, isLight: isLight, categories: categories)
            whole += light
            blocked += light * max(1 - luminance(share), 0)
        }
        let environment = scene.environment
        if environment.isLit {
            let light = environment.sample(numbers.next2())
            let cosine = dot(light.direction, normal)
            if light.density > 0, cosine > 0 {
                let weight = power(light.density, cosine / .pi) / light.density
                add(luminance(environment.radiance(light.direction)) * cosine * weight, light.direction, .infinity, isLight: false)
            }
            let l = Warp.cosine(numbers.next2())
            let d = s.world(l)
            if l.z > 0 {
                let weight = power(l.z / .pi, environment.density(d)) * .pi
                add(luminance(environment.radiance(d)) * weight, d, .infinity, isLight: false)
            }
        }
        if scene.lightCount > 0, let (index, probability) = chooseLight(position, numbers.next1()) {
            let light = scene.lights + index
            if light.pointee.categories & scene.instances[Int(t.w)].categories != 0,
                let sample = light.pointee.sample(from: position, numbers.next2())
            {
                add(
                    luminance(sample.light) * max(dot(sample.direction, normal), 0) / probability, sample.direction,
                    sample.distance * (1 - 1e-5), isLight: true, light.pointee.categories)
            }
        }
        (result.irradiance, result.blocked) = (whole, blocked * shown)
    }
}
