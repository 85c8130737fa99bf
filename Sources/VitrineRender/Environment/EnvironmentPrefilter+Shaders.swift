// The compute shaders that convert an equirectangular image to cube maps.
extension EnvironmentPrefilter {
    /// The directions of the faces in WebGPU's order: +X, −X, +Y, −Y, +Z, −Z; s to the right and t downwards, −1…1, as a viewer in the
    /// middle sees a face that is mirrored (the cube is left-handed, as in all graphics interfaces).
    private static let cubeGeometry = """
        fn cubePoint(texel: vec2u, size: u32) -> vec2f { return (vec2f(texel) + 0.5) * (2.0 / f32(size)) - 1.0; }

        fn cubeDirection(face: u32, p: vec2f) -> vec3f {
            switch face {
                case 0u: { return normalize(vec3f(1.0, -p.y, -p.x)); }
                case 1u: { return normalize(vec3f(-1.0, -p.y, p.x)); }
                case 2u: { return normalize(vec3f(p.x, 1.0, p.y)); }
                case 3u: { return normalize(vec3f(p.x, -1.0, -p.y)); }
                case 4u: { return normalize(vec3f(p.x, -p.y, 1.0)); }
                default: { return normalize(vec3f(-p.x, -p.y, -1.0)); }
            }
        }

        // The solid angle of a cube's texel, up to a factor.
        fn cubeWeight(p: vec2f) -> f32 { let d = 1.0 + dot(p, p); return 1.0 / (d * sqrt(d)); }

        const pi = 3.14159265;
        """

    /// Equirectangular image → mip 0 of the cube, unchanged and without its bright spots.
    ///
    /// The average of as many bilinear taps as the cube's texel covers texels of the image: one at the equator, more towards the
    /// poles, where the image's texels are narrow.
    static let projection =
        cubeGeometry + """
            @group(0) @binding(0) var image: texture_2d<f32>;
            @group(0) @binding(1) var cube: texture_storage_2d_array<rgba16float, write>;
            @group(0) @binding(2) var dimmed: texture_storage_2d_array<rgba16float, write>;
            // first: the face, and the row where the slice begins.
            struct Values { scale: f32, limit: f32, face: f32, row: f32 }
            @group(0) @binding(3) var<uniform> values: Values;

            fn load(x: i32, y: i32, size: vec2i) -> vec3f {
                let wrapped = select(select(x, x - size.x, x >= size.x), x + size.x, x < 0);
                return textureLoad(image, vec2i(wrapped, clamp(y, 0, size.y - 1)), 0).rgb;
            }

            fn bilinear(position: vec2f, size: vec2i) -> vec3f {
                let corner = floor(position - 0.5);
                let f = position - 0.5 - corner;
                let c = vec2i(corner);
                let upper = mix(load(c.x, c.y, size), load(c.x + 1, c.y, size), f.x);
                let lower = mix(load(c.x, c.y + 1, size), load(c.x + 1, c.y + 1, size), f.x);
                return mix(upper, lower, f.y);
            }

            @compute @workgroup_size(8, 8) fn project(@builtin(global_invocation_id) invocation: vec3u) {
                let id = vec3u(invocation.x, invocation.y + u32(values.row), u32(values.face));
                let faceSize = textureDimensions(cube).x;
                if (id.y >= faceSize) { return; }
                let size = vec2i(textureDimensions(image));
                let p = cubePoint(id.xy, faceSize);
                let d = cubeDirection(id.z, p);
                let sine = length(d.xz);
                // In texels of the image.
                let centre = vec2f(0.5 + atan2(d.z, d.x) / (2.0 * pi), atan2(sine, d.y) / pi) * vec2f(size);
                let angle = 2.0 / f32(faceSize) * sqrt(cubeWeight(p));
                let extent = min(angle * vec2f(size) / vec2f(2.0 * pi * max(sine, 1e-6), pi), vec2f(size));
                let taps = clamp(vec2i(ceil(extent)), vec2i(1), vec2i(32));
                var sum = vec3f(0.0);
                for (var y = 0; y < taps.y; y++) {
                    for (var x = 0; x < taps.x; x++) {
                        let offset = (vec2f(vec2i(x, y)) + 0.5) / vec2f(taps) - 0.5;
                        var position = centre + offset * extent;
                        position.x -= floor(position.x / f32(size.x)) * f32(size.x);
                        sum += bilinear(position, size);
                    }
                }
                let colour = min(sum * (values.scale / f32(taps.x * taps.y)), vec3f(65504.0));
                textureStore(cube, id.xy, id.z, vec4f(colour, 1.0));
                let peak = max(colour.r, max(colour.g, colour.b));
                textureStore(dimmed, id.xy, id.z, vec4f(colour * min(1.0, values.limit / max(peak, 1e-20)), 1.0));
            }
            """

    /// Computes the next mip level, each texel weighed by its solid angle.
    static let halving =
        cubeGeometry + """
            @group(0) @binding(0) var large: texture_2d_array<f32>;
            @group(0) @binding(1) var small: texture_storage_2d_array<rgba16float, write>;

            @compute @workgroup_size(8, 8) fn halve(@builtin(global_invocation_id) id: vec3u) {
                if (any(id.xy >= textureDimensions(small))) { return; }
                let size = textureDimensions(large).x;
                var sum = vec3f(0.0);
                var weights = 0.0;
                for (var i = 0u; i < 4u; i++) {
                    let texel = 2u * id.xy + vec2u(i & 1u, i >> 1u);
                    let weight = cubeWeight(cubePoint(texel, size));
                    sum += weight * textureLoad(large, texel, id.z, 0).rgb;
                    weights += weight;
                }
                textureStore(small, id.xy, id.z, vec4f(sum / weights, 1.0));
            }
            """

    /// A level of the specular cube: the GGX lobe around each texel's direction, seen along it (normal = view = reflection), weighed
    /// with the cosine (Karis 2013). Directions and source levels come from `GGXSamples`; `BrightSpots` are added unchanged.
    static let filtering =
        cubeGeometry + """
            @group(0) @binding(0) var source: texture_cube<f32>;
            @group(0) @binding(1) var linear: sampler;
            // Spots: direction and α² − 1, flux times strength. Samples around +Z: x, y, weight, and the source's level. Both end with zeros instead of a
            // count in the block: the software GPU compiles a shader again for each value of a uniform that ends a short loop.
            // A uniform buffer, because the software GPU reads it several times faster than a storage buffer.
            struct Spot { shape: vec4f, light: vec4f }
            struct Lobe { face: u32, row: u32, spots: array<Spot, \(BrightSpots.maximumCount + 1)>, samples: array<vec4f, \(maximumSampleCount + 1)> }
            @group(0) @binding(2) var<uniform> lobe: Lobe;
            @group(0) @binding(3) var filtered: texture_storage_2d_array<rgba16float, write>;

            @compute @workgroup_size(8, 8) fn prefilter(@builtin(global_invocation_id) invocation: vec3u) {
                let id = vec3u(invocation.x, invocation.y + lobe.row, lobe.face);
                let size = textureDimensions(filtered).x;
                if (any(id.xy >= vec2u(size))) { return; }
                let n = cubeDirection(id.z, cubePoint(id.xy, size));
                // Duff et al. 2017: an orthonormal basis without branches.
                let side = select(-1.0, 1.0, n.z >= 0.0);
                let a = -1.0 / (side + n.z);
                let b = n.x * n.y * a;
                let tangent = vec3f(1.0 + side * n.x * n.x * a, side * b, -side * n.x);
                let bitangent = vec3f(b, side + n.y * n.y * a, -n.y);
                var colour = vec3f(0.0);
                for (var i = 0u; i <= \(maximumSampleCount)u; i++) {
                    let s = lobe.samples[i];
                    if (s.z == 0.0) { break; }
                    let direction = tangent * s.x + bitangent * s.y + n * sqrt(1.0 - s.x * s.x - s.y * s.y);
                    colour += s.z * textureSampleLevel(source, linear, direction, s.w).rgb;
                }
                for (var i = 0u; i <= \(BrightSpots.maximumCount)u; i++) {
                    let spot = lobe.spots[i];
                    if (all(spot.light.rgb == vec3f(0.0))) { break; }
                    let z = max(dot(n, spot.shape.xyz), 0.0);
                    let d = 1.0 + spot.shape.w * (0.5 + 0.5 * z);
                    colour += spot.light.rgb * (z / (d * d));
                }
                textureStore(filtered, id.xy, id.z, vec4f(min(colour, vec3f(65504.0)), 1.0));
            }
            """

    /// Divides an image into coarse cells, and computes the light of each and the direction of its centre of light, so that a sun that
    /// fills a fraction of a cell stays where it is.
    static let gathering = """
        struct Cell { direction: vec3f, flux: vec3f }
        @group(0) @binding(0) var image: texture_2d<f32>;
        @group(0) @binding(1) var<storage, read_write> cells: array<Cell>;
        struct Grid { scale: f32, columns: u32, rows: u32 }
        @group(0) @binding(2) var<uniform> grid: Grid;
        const pi = 3.14159265;

        @compute @workgroup_size(64) fn gather(@builtin(global_invocation_id) id: vec3u) {
            if (id.x >= grid.columns * grid.rows) { return; }
            let size = textureDimensions(image);
            let cell = vec2u(id.x % grid.columns, id.x / grid.columns);
            let first = cell * size / vec2u(grid.columns, grid.rows);
            let end = (cell + 1u) * size / vec2u(grid.columns, grid.rows);
            let step = vec2f(2.0 * pi, pi) / vec2f(size);
            let turn = vec2f(cos(step.x), sin(step.x));
            var flux = vec3f(0.0);
            var moment = vec3f(0.0);
            var centre = vec3f(0.0);
            for (var y = first.y; y < end.y; y++) {
                let polar = (f32(y) + 0.5) * step.y;
                let sine = sin(polar);
                let cosine = cos(polar);
                // The texel's solid angle, exactly: the difference of the cosines at its edges.
                let solidAngle = 2.0 * sine * sin(0.5 * step.y) * step.x;
                // Sine and cosine of the azimuth, turned on from texel to texel.
                let start = (f32(first.x) + 0.5) * step.x - pi;
                var azimuth = vec2f(cos(start), sin(start));
                for (var x = first.x; x < end.x; x++) {
                    let direction = vec3f(sine * azimuth.x, cosine, sine * azimuth.y);
                    let light = textureLoad(image, vec2u(x, y), 0).rgb * solidAngle;
                    flux += light;
                    moment += (light.r + light.g + light.b) * direction;
                    centre += solidAngle * direction;
                    azimuth = vec2f(azimuth.x * turn.x - azimuth.y * turn.y, azimuth.y * turn.x + azimuth.x * turn.y);
                }
            }
            let middle = select(centre, moment, dot(moment, moment) > 0.0);
            cells[id.x] = Cell(normalize(middle), flux * grid.scale);
        }
        """

    /// Cells → irradiance over π for the normals of a small cube.
    static let irradiance =
        cubeGeometry + """
            struct Cell { direction: vec3f, flux: vec3f }
            @group(0) @binding(0) var<uniform> cells: array<Cell, \(cellGrid.columns * cellGrid.rows)>;
            @group(0) @binding(1) var cube: texture_storage_2d_array<rgba16float, write>;

            @compute @workgroup_size(8, 8) fn irradiate(@builtin(global_invocation_id) id: vec3u) {
                let size = textureDimensions(cube).x;
                let n = cubeDirection(id.z, cubePoint(id.xy, size));
                var sum = vec3f(0.0);
                for (var i = 0u; i < \(cellGrid.columns * cellGrid.rows)u; i++) {
                    sum += max(dot(n, cells[i].direction), 0.0) * cells[i].flux;
                }
                textureStore(cube, id.xy, id.z, vec4f(min(sum / pi, vec3f(65504.0)), 1.0));
            }
            """
}
